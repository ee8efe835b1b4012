import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const services = [];
let directory, orders, shipping;

/** Starts a service as a process of its own. Answers with its address, which it prints. */
async function start(program, ...args) {
  const command = [join(import.meta.dirname, program), ...args];
  const service = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
  services.push(service);
  const [address] = await once(service.stdout, "data");
  return address.toString().trim();
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "shop-"));
  shipping = await start("shipping.mjs", directory);
  orders = await start(process.env.ORDERS ?? "orders.mjs", directory, shipping);
});

after(async () => {
  for (const service of services) {
    service.kill();
    assert.deepEqual(await once(service, "exit"), [0, null]);
  }
  await rm(directory, { recursive: true });
});

async function shipment(id) {
  for (let tries = 0; tries < 1000; tries++) {
    const answer = await fetch(`${shipping}/${id}`);
    const item = await answer.text();
    if (answer.ok) return item;
    await sleep(10);
  }
  throw new Error(`${id} was not shipped`);
}

test("what is ordered is shipped", async () => {
  const items = ["apples", "bread", "cheese", "dates", "eggs"];
  for (const item of items) {
    const answer = await fetch(orders, { method: "POST", body: JSON.stringify({ id: item, item }) });
    assert.equal(answer.status, 202);
  }
  for (const item of items) assert.equal(await shipment(item), item);
});
