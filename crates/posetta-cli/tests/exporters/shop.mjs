// The same for Node. Its exporters are packages of their own.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const { ROOT_CONTEXT, SpanKind, trace } = require("@opentelemetry/api");
const { resourceFromAttributes } = require("@opentelemetry/resources");
const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base");
const packages = { "http/protobuf": "proto", "http/json": "http", grpc: "grpc" };
const kind = packages[process.env.OTEL_EXPORTER_OTLP_PROTOCOL];
const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${kind}`);

const provider = new BasicTracerProvider({
  resource: resourceFromAttributes({ "service.name": "shop" }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
const tracer = provider.getTracer("shop");
const order = tracer.startSpan("order", { kind: SpanKind.SERVER }, ROOT_CONTEXT);
const inside = trace.setSpan(ROOT_CONTEXT, order);
tracer.startSpan("charge", { attributes: { amount: 12.5, items: ["a", "b"], paid: true } }, inside).end();
await provider.forceFlush();
const pack = tracer.startSpan("pack", {}, inside);
pack.addEvent("packed", { boxes: 2 });
pack.end();
order.end();
await provider.shutdown();
