"""Two tests of the shop, of which one sleeps."""

import time

import shop


def test_price():
    assert shop.price(1999) == "19.99"


def test_view():
    time.sleep(0.3)  # until the server is there
    shop.main()
