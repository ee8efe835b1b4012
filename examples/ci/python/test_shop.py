import pytest


@pytest.mark.parametrize("item", ["apples", "bread", "cheese", "dates", "eggs"])
def test_what_is_ordered_is_shipped(shop, item):
    assert shop.order(f"order of {item}", item) == 202
    assert shop.shipment(f"order of {item}") == item
