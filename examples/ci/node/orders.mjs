// The service that takes orders: saves each one, and tells shipping about it.
//
//     node orders.mjs DIRECTORY SHIPPING_URL

import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT_CONTEXT, SpanKind, headersOf, service } from "./telemetry.mjs";

export class Orders {
  constructor(directory, shipping, traces) {
    Object.assign(this, { directory, shipping, traces, saving: new Set() });
  }

  /** Answers quickly: the write is under way, and shipping takes longer anyway. */
  async accept(order, inside) {
    const saving = this.save(order, inside).finally(() => this.saving.delete(saving));
    this.saving.add(saving);
    await this.publish(order, inside);
  }

  save(order, inside) {
    return this.traces.span("save order", {}, inside, async () => {
      await sleep(5); // the network to the disk
      await writeFile(join(this.directory, `${order.id}.json`), JSON.stringify(order));
    });
  }

  publish(order, inside) {
    return this.traces.span("publish", { kind: SpanKind.PRODUCER }, inside, async (inside) => {
      await fetch(this.shipping, { method: "POST", headers: headersOf(inside), body: order.id });
    });
  }
}

export async function main([directory, shipping], Service = Orders) {
  const traces = service("orders");
  const orders = new Service(directory, shipping, traces);
  const server = createServer(async (request, response) => {
    const order = JSON.parse(await bodyOf(request));
    const options = { kind: SpanKind.SERVER, attributes: { "order.id": order.id } };
    await traces.span("POST /orders", options, ROOT_CONTEXT, (inside) => orders.accept(order, inside));
    response.writeHead(202).end();
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
  process.on("SIGTERM", async () => {
    await Promise.all(orders.saving);
    await traces.shutdown();
    process.exit(0);
  });
}

export async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

if (process.argv[1].endsWith("orders.mjs")) await main(process.argv.slice(2));
