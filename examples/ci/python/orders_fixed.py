"""The same service, repaired: shipping hears of an order when it is saved."""

import sys

from opentelemetry import context

from orders import Orders, background, main


class SavedFirst(Orders):
    def accept(self, order):
        background.submit(self.save, order, context.get_current()).result()
        self.publish(order)


if __name__ == "__main__":
    main(*sys.argv[1:], orders=SavedFirst)
