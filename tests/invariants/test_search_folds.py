"""Searches ignore accents, case, word order, and kinds of apostrophes and dashes."""

from collections.abc import Awaitable, Callable

import pytest
from tests.support.app import App

NAMES = {
    "Jürgen Müller": ("muller", "MULLER JURGEN", "müller", "ju\u0308rgen"),
    "Zoë O’Brien": ("o'brien", "obrien", "o brien zoe", "O’BRIEN"),
    "Łukasz Żółć": ("lukasz", "zolc"),
    "Bjørn Æther": ("bjorn", "aether"),
    "Anne-Marie Großmann": ("anne marie", "grossmann", "marie anne", "anne–marie"),
    "Γιώργος Παππάς": ("παππας", "ΓΙΩΡΓΟΣ"),
    "王小明": ("王小明", "小明"),
}
Made = Callable[[App, str, int], Awaitable[object]]
Found = Callable[[App, str], Awaitable[list[str]]]


async def make_order(app: App, name: str, number: int) -> None:
    address = {"name": name, "address": f"{number} Straße", "city": "Köln", "country": "DE"}
    await app.answer("admin", "create_order", {"consignee": address})


async def find_orders(app: App, text: str) -> list[str]:
    return [order.name for order in (await app.answer("admin", "get_orders", {"search": text})).orders]


async def make_user(app: App, name: str, number: int) -> None:
    email = f"person{number}@example.com"
    await app.answer("admin", "create_user", {"name": name, "email": email, "account": "customer"})


async def find_users(app: App, text: str) -> list[str]:
    return [user.name for user in (await app.answer("admin", "list_users", {"search": text})).users]


async def make_driver(app: App, name: str, number: int) -> None:
    await app.answer("admin", "create_driver", {"name": name, "phone": f"+1416555{number:04}"})


async def find_drivers(app: App, text: str) -> list[str]:
    return [driver.name for driver in (await app.answer("admin", "get_drivers", {"search": text})).drivers]


async def make_product(app: App, name: str, number: int) -> None:
    await app.answer("admin", "create_product", {"sku": f"P-{number}", "name": name})


async def find_products(app: App, text: str) -> list[str]:
    return [product.name for product in (await app.answer("admin", "list_products", {"search": text})).products]


async def make_address(app: App, name: str, number: int) -> None:
    place = {"name": name, "address": f"{number} Straße", "city": "Köln", "country": "DE"}
    await app.answer("admin", "create_address", place)


async def find_addresses(app: App, text: str) -> list[str]:
    return [each.name for each in (await app.answer("admin", "search_address", {"search": text})).addresses]


SEARCHES: dict[str, tuple[Made, Found]] = {
    "orders": (make_order, find_orders),
    "users": (make_user, find_users),
    "drivers": (make_driver, find_drivers),
    "products": (make_product, find_products),
    "addresses": (make_address, find_addresses),
}


@pytest.mark.parametrize("kind", SEARCHES)
async def test_names_are_found_in_any_usual_spelling(app: App, kind: str) -> None:
    make, find = SEARCHES[kind]
    for number, name in enumerate(NAMES, 77):
        await make(app, name, number)
    missed = [text for name, texts in NAMES.items() for text in texts if await find(app, text) != [name]]
    assert missed == []


async def test_words_of_name_and_town_find_an_order_in_any_order(app: App) -> None:
    for number, name in enumerate(("Okafor", "Müller"), 77):
        await make_order(app, name, number)
    assert [
        await find_orders(app, text) for text in ("okafor 77", "77 okafor strasse", "koln muller", "okafor 78")
    ] == [
        ["Okafor"],
        ["Okafor"],
        ["Müller"],
        [],
    ]
