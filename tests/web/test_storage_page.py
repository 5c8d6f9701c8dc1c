"""Storage page: stored goods, dates, cost and pending tasks."""

from tests.contexts.storage.makers import make_order, make_shelf, make_tariff, stored
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text

STORAGE = "/desk/storage"


async def test_a_new_business_gets_the_first_steps_of_storage(app: App) -> None:
    page = await get_page(app, STORAGE, "rival")
    assert "No stored goods" in page_text(page)
    assert 'href="/desk/act/set_storage_tariff' in page.text
    assert (await get_page(app, STORAGE, "customer")).status_code == 404


async def test_each_customer_has_a_row_with_stock_and_cost_linked_to_the_units(app: App) -> None:
    await make_tariff(app)
    order, shelf = await make_order(app), await make_shelf(app)
    await stored(app, order.id, shelf, count=2, description="Winter tyres")
    waiting = await make_order(app)
    page = await get_page(app, STORAGE, "admin")
    told = page_text(page)
    for said in ("2 packages", "24 kg", "CA$1.00", "Monthly charges on", f"Storage order {waiting.id}", "Confirm"):
        assert said in told, said
    customer = app.ids["customer"]
    assert f'href="{STORAGE}?customer={customer}"' in page.text
    assert Checked(page.text).faults == []
    units = await get_page(app, f"{STORAGE}?customer={customer}", "admin")
    told = page_text(units)
    for said in ("Units in storage", "Winter tyres", "A-01", "Return", "Storage orders"):
        assert said in told, said
    assert Checked(units.text).faults == []


async def test_an_unknown_customer_has_no_units(app: App) -> None:
    for address in (f"{STORAGE}?customer=999999", f"{STORAGE}?customer=x&page=x"):
        assert (await get_page(app, address, "admin")).status_code == 200


async def test_the_page_uses_a_constant_number_of_statements(app: App) -> None:
    await make_tariff(app)
    shelf, counted = await make_shelf(app), []
    for _ in range(3):
        order = await make_order(app)
        await stored(app, order.id, shelf, count=2)
        seen = []
        for address in (STORAGE, f"{STORAGE}?customer={app.ids['customer']}"):
            before = app.statements
            assert (await get_page(app, address, "admin")).status_code == 200
            seen.append(app.statements - before)
        counted.append(seen)
    assert counted[1] == counted[2]
