ITEMS = ["apples", "bread", "cheese", "dates", "eggs"]


def test_what_is_ordered_is_shipped(shop):
    for item in ITEMS:
        assert shop.order(f"order of {item}", item) == 202
    for item in ITEMS:
        assert shop.shipment(f"order of {item}") == item
