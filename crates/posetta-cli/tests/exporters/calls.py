"""Calls of gRPC that no exporter makes. Prints the status of each."""

import os

import grpc

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"

channel = grpc.insecure_channel(os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"].removeprefix("http://"))
for name, path, body in [
    ("nothing", TRACES, b""),
    ("metrics", METRICS, b"whatever"),
    ("damaged", TRACES, b"\x0a\x7f\x01"),
    ("text", TRACES, b"{}"),
    ("large", TRACES, b"\x0a" * 300_000),
    ("another service", "/helloworld.Greeter/SayHello", b""),
]:
    try:
        channel.unary_unary(path)(body, timeout=20)
        print(name, "OK")
    except grpc.RpcError as error:
        print(name, error.code().name)
