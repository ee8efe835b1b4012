// A shop takes orders and a warehouse ships them, with a queue between the two: two services in one program.
//
// Writes the spans that the OpenTelemetry SDK exports to a file of JSON lines.
//
//     node shop.mjs spans.jsonl

import { appendFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

// The packages may be somewhere else than this file.
const require = createRequire(process.env.POSETTA_NODE_MODULES ? `${process.env.POSETTA_NODE_MODULES}/` : import.meta.url);
const { ROOT_CONTEXT, SpanKind, defaultTextMapGetter, defaultTextMapSetter, trace } = require("@opentelemetry/api");
const { W3CTraceContextPropagator } = require("@opentelemetry/core");
const { JsonTraceSerializer } = require("@opentelemetry/otlp-transformer");
const { resourceFromAttributes } = require("@opentelemetry/resources");
const { BasicTracerProvider, BatchSpanProcessor } = require("@opentelemetry/sdk-trace-base");

const path = process.argv[2];
writeFileSync(path, "");

/** Appends each export to the file, as one line. */
const exporter = {
  export(spans, done) {
    appendFileSync(path, Buffer.from(JsonTraceSerializer.serializeRequest(spans)).toString() + "\n");
    done({ code: 0 });
  },
  async shutdown() {},
};

function service(name) {
  return new BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": name, "service.instance.id": `${name}-1` }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
}

const context = new W3CTraceContextPropagator();
const [shop, warehouse] = [service("shop"), service("warehouse")];
const queue = [];

async function ship() {
  const tracer = warehouse.getTracer("warehouse");
  while (queue.length > 0) {
    const { order, headers } = queue.shift();
    const parent = context.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = tracer.startSpan("ship", { kind: SpanKind.CONSUMER, attributes: { "order.id": order } }, parent);
    span.addEvent("packed", { "order.id": order });
    await new Promise((done) => setTimeout(done, 1));
    span.end();
  }
}

const tracer = shop.getTracer("shop");
for (let order = 0; order < 3; order++) {
  const attributes = { "order.id": order };
  const request = tracer.startSpan("POST /order", { kind: SpanKind.SERVER, attributes }, ROOT_CONTEXT);
  const inside = trace.setSpan(ROOT_CONTEXT, request);
  tracer.startSpan("charge", { attributes }, inside).end();
  const send = tracer.startSpan("send", { kind: SpanKind.PRODUCER, attributes }, inside);
  const headers = {};
  context.inject(trace.setSpan(inside, send), headers, defaultTextMapSetter);
  queue.push({ order, headers });
  send.end();
  request.end();
  await ship();
}
await shop.shutdown();
await warehouse.shutdown();
