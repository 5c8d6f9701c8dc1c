"""Questions about money, pickups and the week get numbers and names."""

from tests.contexts.billing.invoices.makers import charged, days_later, issued, make_billing_business
from tests.contexts.control_tower.agent.makers import asked, has_agent
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App


async def test_debts_name_customers_and_hide_amounts_from_agents(app: App) -> None:
    await has_agent(app)
    await make_billing_business(app)
    await charged(app, 1000)
    await issued(app)
    await days_later(app, 30)
    answered = await asked(app, "Who owes us money?")
    head, line = answered.turn.reply.split("\n")
    assert head == "Customers with open invoices: 1"
    assert line.endswith(": open invoices: 1")
    assert "10" not in line


async def test_debts_show_amounts_if_the_business_permits_it(app: App) -> None:
    await has_agent(app)
    await app.answer("admin", "set_agent_policy", {"shows_prices": True})
    await make_billing_business(app)
    await charged(app, 1000)
    invoice = await issued(app)
    await days_later(app, 30)
    due = (await app.answer("admin", "get_invoice", {"invoice_id": invoice.id})).invoice.due_minor
    line = (await asked(app, "Who owes us money?")).turn.reply.split("\n")[1]
    assert line.endswith(f"CA${due / 100:.2f}, CA${due / 100:.2f} overdue")


async def test_pickups_name_order_customer_and_depot(app: App) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    depot = {"name": "Main depot", "address": "1 King St W, Toronto", "lat": 43.65, "lng": -79.38}
    depot_id = (await app.answer("admin", "create_depot", depot)).depot.id
    await app.answer("admin", "switch_order_to_pickup", {"order_id": order_id, "depot_id": depot_id})
    answered = await asked(app, "Which orders are waiting for pickup?")
    head, line = answered.turn.reply.split("\n")
    assert head == "Orders for pickup: 1"
    assert line.startswith("- A-1: Preparing; ")
    assert "Main depot" in line


async def test_the_week_is_compared_with_the_days_before(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    reply = (await asked(app, "How was this week?")).turn.reply
    assert reply.startswith("This week, since Mon, Jun 8. Orders: 1; delivered: 0;")
    assert "\nThe same number of days before. Orders: 0;" in reply


async def test_states_and_times_are_written_in_the_language_of_the_user(app: App) -> None:
    await has_agent(app)
    window = {"window_start": "2026-06-11T14:00:00Z", "window_end": "2026-06-11T16:00:00Z"}
    await create_order_as(app, order_ref="A-1", **window)
    reply = (await asked(app, "Wo ist A-1?", accept_language="de")).turn.reply
    assert reply.startswith("A-1: neu; ")
    assert "Do., 11. Juni 10:00" in reply
