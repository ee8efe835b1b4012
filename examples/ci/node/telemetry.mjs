// Tracing as any service sets it up: where spans go is said by the environment (OTEL_EXPORTER_OTLP_ENDPOINT).

import { createRequire } from "node:module";

// The packages may be installed somewhere else than beside this file: NODE_MODULES names the folder.
const require = createRequire(process.env.NODE_MODULES ? `${process.env.NODE_MODULES}/` : import.meta.url);
const api = require("@opentelemetry/api");
const { W3CTraceContextPropagator, hrTime } = require("@opentelemetry/core");
const { OTLPTraceExporter } = require("@opentelemetry/exporter-trace-otlp-proto");
const { resourceFromAttributes } = require("@opentelemetry/resources");
const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base");

export const { ROOT_CONTEXT, SpanKind } = api;
const context = new W3CTraceContextPropagator();

/** The context that a request or a message brings. */
export function received(headers) {
  return context.extract(ROOT_CONTEXT, headers, api.defaultTextMapGetter);
}

/** The context as headers, to send it. */
export function headersOf(inside) {
  const headers = {};
  context.inject(inside, headers, api.defaultTextMapSetter);
  return headers;
}

/** The spans of a service. */
export function service(name) {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": name }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer(name);
  return {
    /** Does some work, which is told the context inside of it, in a span. */
    async span(name, options, outside, work) {
      // By itself the SDK starts spans at whole milliseconds, which is too coarse to tell what came first.
      const span = tracer.startSpan(name, { startTime: hrTime(), ...options }, outside);
      try {
        return await work(api.trace.setSpan(outside, span));
      } finally {
        span.end(hrTime());
      }
    },
    shutdown: () => provider.shutdown(),
  };
}
