// The same service, repaired: shipping hears of an order when it is saved.

import { Orders, main } from "./orders.mjs";

class SavedFirst extends Orders {
  async accept(order, inside) {
    await this.save(order, inside);
    await this.publish(order, inside);
  }
}

await main(process.argv.slice(2), SavedFirst);
