"""Pages of a customer carry the brand of their business and a short menu."""

import re
from html import unescape

from tests.support.app import App
from tests.support.every_case import for_every
from tests.web.page_client import get_page

COLOUR = "#7b1fa2"
MENU = [
    "/desk",
    "/desk/new-order",
    "/desk/orders",
    "/desk/order-returns",
    "/desk/invoices",
    "/desk/addresses",
    "/desk/sections/developers",
]


def rail(page: str) -> str:
    return unescape(page).partition('<nav class="rail"')[2].partition("</nav>")[0]


def menu(page: str) -> list[str]:
    shown = rail(page).partition("<ul>")[2].partition("</ul>")[0]
    return [each for each in re.findall(r'<a href="([^"]+)"', shown) if not each.startswith("/docs/")]


async def test_a_customer_finds_a_short_menu_and_the_rest_below_it(app: App) -> None:
    page = (await get_page(app, "/desk", "customer")).text
    assert menu(page) == MENU
    assert 'href="/desk/sections/shipping"' in rail(page).partition('<details class="rest">')[2]


@for_every("path", MENU)
async def test_each_page_of_the_menu_opens_and_is_marked(app: App, path: str) -> None:
    page = await get_page(app, path, "customer")
    assert page.status_code == 200
    assert re.findall(r'<a href="([^"]+)" aria-current', rail(page.text)) == [path]


async def test_the_business_names_and_colours_the_portal(app: App) -> None:
    await app.answer("admin", "set_brand", {"colour": COLOUR})
    name = (await app.answer("admin", "get_brand", {})).brand.name
    for path in ("/desk", "/desk/orders"):
        page = unescape((await get_page(app, path, "customer")).text)
        assert f'href="/track/colour/{COLOUR[1:]}.css"' in page
        assert name in page.partition('<a class="brand"')[2].partition("</a>")[0]


async def test_sections_have_names_for_customers(app: App) -> None:
    rest = rail((await get_page(app, "/desk", "customer")).text).partition('<details class="rest">')[2]
    assert "</svg>Account</a>" in rest
    assert not any(f"</svg>{name}</a>" in rest for name in ("Customers", "Settings"))


async def test_customers_of_another_business_and_staff_do_not_see_the_brand(app: App) -> None:
    await app.answer("admin", "set_brand", {"colour": COLOUR})
    for who in ("admin", "employee", "rival"):
        page = (await get_page(app, "/desk", who)).text
        assert COLOUR[1:] not in page
        assert "/desk/order-returns" not in menu(page)
