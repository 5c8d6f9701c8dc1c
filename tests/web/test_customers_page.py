"""Customers: the list with metrics, the customer page and the portal preview."""

from html import unescape

from tests.contexts.billing.invoices.makers import charged, issued, make_billing_business
from tests.support.app import App
from tests.support.transport import make_order
from tests.web.page_client import Checked, get_page, page_text, send_form

LIST = "/desk/customers"


async def test_the_list_shows_orders_unpaid_invoices_and_hidden_prices(app: App) -> None:
    await make_billing_business(app)
    customer = app.ids["customer"]
    await make_order(app, customer_id=customer)
    await charged(app, 1130)
    await issued(app)
    hidden = {"customer_id": customer, "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    page = await get_page(app, LIST, "admin")
    row = page.text.partition(f'data-id="customer-{customer}"')[2].partition("</tr>")[0]
    assert all(text in row for text in ("CA$11.30", "Hidden", "Own delivery", f"customer_id={customer}", "Wed, Jun 10"))
    assert Checked(page.text).faults == []
    app.clock.forward(days=40)
    assert "Overdue" in page_text(await get_page(app, LIST, "admin"))


async def test_a_search_without_a_match_links_to_all_customers(app: App) -> None:
    assert "No customer matches" in page_text(await get_page(app, f"{LIST}?search=nobody", "admin"))
    assert "customer@" in page_text(await get_page(app, f"{LIST}?search=customer", "admin"))


async def test_urls_with_columns_show_the_complete_list(app: App) -> None:
    assert 'name="pick"' in (await get_page(app, f"{LIST}?columns=email", "admin")).text
    assert 'name="pick"' not in (await get_page(app, LIST, "admin")).text


async def test_listing_uses_a_constant_number_of_statements(app: App) -> None:
    counted = []
    for number in range(3):
        before = app.statements
        assert (await get_page(app, LIST, "admin")).status_code == 200
        counted.append(app.statements - before)
        for each in range(3):
            email = f"c{number}{each}@demo.example"
            await app.answer(
                "admin",
                "create_user",
                {"name": email, "email": email, "account": "customer", "password": "a-Long-Pass-1"},
            )
    assert counted[1] == counted[2]


async def test_the_customer_page_shows_all_their_data(app: App) -> None:
    await make_billing_business(app)
    customer = app.ids["customer"]
    await make_order(app, customer_id=customer, order_ref="MINE-1")
    await charged(app, 1130)
    await issued(app)
    await app.answer("admin", "update_customer_settings", {"customer_id": customer, "note": "Calls before noon."})
    page = await get_page(app, f"{LIST}/{customer}", "admin")
    told = page_text(page)
    assert all(text in told for text in ("MINE-1", "INV-000001", "CA$11.30", "Calls before noon.", "Open orders"))
    assert f'class="button" href="/desk/new-order?customer_id={customer}"' in page.text
    assert "Edit customer settings" in told.partition("History")[2]
    assert Checked(page.text).faults == []


async def test_an_action_returns_to_the_customer(app: App) -> None:
    customer = app.ids["customer"]
    back = f"{LIST}/{customer}"
    fields = {"customer_id": str(customer), "hidden": "local_delivery", "back": back, "step": "do", "once": "x"}
    done = await send_form(app, "/desk/act/set_price_visibility", "admin", **fields)
    assert done.headers["location"].startswith(f"{back}?done=set_price_visibility")
    told = page_text(await get_page(app, done.headers["location"], "admin"))
    assert "The customer doesn’t see prices of: Own delivery" in unescape(told)


async def test_the_customer_portal_hides_restricted_data(app: App) -> None:
    customer = app.ids["customer"]
    await make_order(app, customer_id=customer, order_ref="MINE")
    await make_order(app, customer_id=app.ids["customer2"], order_ref="THEIRS")
    await app.answer("admin", "top_up_credit", {"customer_id": customer, "amount_minor": 5000, "reference": "T"})
    told = page_text(await get_page(app, f"{LIST}/{customer}/portal", "admin"))
    assert ("MINE" in told, "THEIRS" in told, "CA$50.00" in told) == (True, False, True)
    hidden = {"customer_id": customer, "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hidden)
    assert "CA$50.00" not in page_text(await get_page(app, f"{LIST}/{customer}/portal", "admin"))


async def test_the_customer_page_is_for_staff(app: App) -> None:
    customer = app.ids["customer"]
    for address in (LIST, f"{LIST}/{customer}", f"{LIST}/{customer}/portal"):
        assert (await get_page(app, address, "customer")).status_code == 404
    assert (await get_page(app, f"{LIST}/999999", "admin")).status_code == 404
    assert (await get_page(app, f"{LIST}/{app.ids['admin']}", "admin")).status_code == 409
