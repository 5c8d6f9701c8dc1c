"""The customer's home page: actions, orders in progress, tasks and open bills."""

from html import unescape

from tests.contexts.control_tower.overview.makers import fail, take_step
from tests.contexts.lockers.examples import SCANNER
from tests.contexts.storage.examples import TARIFF
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import get_page, page_text

from haulier.contexts.orders.public import OrderStep


async def test_a_customer_sees_their_own_orders_and_available_actions(app: App) -> None:
    mine = await make_order(app, customer_id=app.ids["customer"], order_ref="MINE")
    stuck = await make_order(app, customer_id=app.ids["customer"], order_ref="STUCK")
    await make_order(app, customer_id=app.ids["customer2"], order_ref="THEIRS")
    await fail(app, stuck, "nobody_home")
    page = await get_page(app, "/desk", "customer")
    text = unescape(page.text)
    assert page.status_code == 200
    assert "MINE" in text.partition("In progress")[2]
    assert "STUCK" in text.partition("Needs attention")[2].partition("In progress")[0]
    assert "THEIRS" not in text
    assert '<a class="button" href="/desk/new-order">' in text.partition("Needs attention")[0]
    assert 'href="/desk/import-orders"' in text
    await take_step(app, mine, OrderStep.CANCEL)
    assert "No orders in progress" in page_text(await get_page(app, "/desk", "customer"))


async def test_credit_is_shown_to_customers_who_have_some_and_the_office_has_its_own_page(app: App) -> None:
    await app.answer(
        "admin", "top_up_credit", {"customer_id": app.ids["customer"], "amount_minor": 5000, "reference": "T"}
    )
    assert "CA$50.00" in page_text(await get_page(app, "/desk", "customer"))
    assert "Credit balance" not in page_text(await get_page(app, "/desk", "customer2"))
    assert "Your deliveries" not in page_text(await get_page(app, "/desk", "admin"))


async def test_the_shop_shows_the_offered_services_with_their_forms(app: App) -> None:
    assert "Services" not in page_text(await get_page(app, "/desk", "customer"))
    await app.answer(
        "admin", "create_service", {"code": "same-day", "kind": "parcel", "name": "Same day", "pricing": {}}
    )
    await app.answer(
        "admin", "create_service", {"code": "out", "kind": "shipout", "name": "From our shelf", "pricing": {}}
    )
    await app.answer("admin", "set_storage_tariff", TARIFF)
    await app.answer("admin", "set_device_product", SCANNER)
    page = unescape((await get_page(app, "/desk", "customer")).text).partition("Services")[2]
    for words in ("Same day", "From our shelf", "Create storage order", "Boxes", "Hand scanner 2D"):
        assert words in page
    assert 'href="/desk/act/create_shipping_order?service_code=same-day"' in page
    assert 'href="/desk/act/create_shipout?service_code=out"' in page
