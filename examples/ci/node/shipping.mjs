// The service that ships orders: takes messages, and works them off later.
//
//     node shipping.mjs DIRECTORY

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bodyOf } from "./orders.mjs";
import { SpanKind, received, service } from "./telemetry.mjs";

const directory = process.argv[2];
const traces = service("shipping");
const shipped = new Map();
const working = new Set();

/** Ships an order. */
function ship(id, sender) {
  return traces.span("ship order", { kind: SpanKind.CONSUMER }, sender, async (inside) => {
    await sleep(1000); // somebody has to fetch a box first
    const load = () => readFile(join(directory, `${id}.json`)).then(JSON.parse, () => null);
    const order = await traces.span("load order", {}, inside, load);
    shipped.set(id, order?.item ?? "an empty box");
  });
}

const server = createServer(async (request, response) => {
  if (request.method === "POST") {
    const id = await bodyOf(request);
    const work = ship(id, received(request.headers)).finally(() => working.delete(work));
    working.add(work);
    response.writeHead(202).end();
  } else {
    const item = shipped.get(request.url.slice(1));
    response.writeHead(item ? 200 : 404).end(item);
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", async () => {
  await Promise.all(working);
  await traces.shutdown();
  process.exit(0);
});
