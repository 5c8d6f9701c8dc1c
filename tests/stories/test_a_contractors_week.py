"""A contractor's week: drivers, acceptance, labels, routes, money and a statement."""

from typing import Any

from tests.stories.people import People
from tests.support.app import App

MO = "mo@drivers.example"
THURSDAY, FRIDAY = "2026-06-11", "2026-06-12"


async def agree(people: People) -> int:
    """Agree on prices and daily capacity, and create a login for the driver."""
    contractor = people.app.ids["contractor"]
    rates = {"per_route_minor": 1000, "per_stop_minor": 400, "per_failed_stop_minor": 150}
    payee = {"payee_kind": "contractor", "payee_id": contractor}
    await people.does("admin", "POST /v1/pay/rates", valid_from="2026-06-01", **payee, **rates)
    await people.does("admin", f"PUT /v1/contractors/{contractor}/capacity", orders_per_day=3)
    mo = (await people.does("contractor", "POST /v1/drivers", name="Mo"))["driver"]["id"]
    await people.does("contractor", f"POST /v1/drivers/{mo}/invitation", email=MO)
    await people.signs_in("mo", MO)
    return mo


async def ask(people: People, order_ids: list[int], respond_by: str) -> Any:
    """The business asks the contractor; what was given."""
    asked = {"broker_id": people.app.ids["contractor"], "respond_by": respond_by, "order_ids": order_ids}
    return await people.does("admin", "POST /v1/broker-order-assignments", **asked)


async def wednesday(people: People, mo: int) -> int:
    """Four orders are offered, three fit the day, two are accepted, and one fails.

    One is delivered for cash; the recipient of the other is absent. Returns the order that failed.
    """
    cash, absent, far, one_too_many = [await people.order(cod_minor=2500), *[await people.order() for _ in range(3)]]
    given = await ask(people, [cash, absent, far, one_too_many], "2026-06-10T16:00:00Z")
    assert (given["assigned"], [each["code"] for each in given["errors"]]) == (3, ["ORDER_OVER_CAPACITY"])
    await people.does("contractor", "POST /v1/broker-order-assignments/accept", order_ids=[cash, absent])
    no = {"order_ids": [far], "reason": "no van for that"}
    await people.does("contractor", "POST /v1/broker-order-assignments/decline", **no)
    pool = (await people.does("admin", "GET /v1/planning-pool"))["orders"]
    assert {each["order_id"] for each in pool} == {far, one_too_many}

    label = await people.does("contractor", f"GET /v1/orders/{cash}/label")
    assert "COD 25.00 CAD" in label["labels"][0]
    assert await people.tries("contractor", f"GET /v1/orders/{far}/label") == (404, "NOT_FOUND")
    seen = (await people.does("contractor", f"GET /v1/orders/{cash}"))["order"]
    assert "shipping_price" not in seen

    route = await people.route("contractor", [cash, absent], mo)
    await people.starts("mo", route)
    await people.delivers("mo", route, cash, recipient="Ada", cod=[{"method": "cash", "amount_minor": 2500}])
    await people.fails("mo", route, absent)
    await people.comes_home("mo", route)
    assert (await people.status(cash), await people.status(absent)) == ("DELIVERED", "FAILED")
    return absent


async def thursday(people: People, mo: int, absent: int) -> None:
    """The failed order goes out again; unanswered offers return to the business."""
    assert await people.next_day() == THURSDAY
    await people.does("admin", "POST /v1/orders/reschedule", order_ids=[absent], scheduled_date=THURSDAY)
    silent = await people.order(scheduled_date=THURSDAY)
    await ask(people, [silent], "2026-06-11T16:00:00Z")
    route = await people.route("contractor", [absent], mo, THURSDAY)
    await people.starts("mo", route)
    await people.delivers("mo", route, absent, recipient="Ada")
    await people.comes_home("mo", route)
    people.app.clock.forward(hours=3)
    await people.app.work_off()
    listed = await people.does("contractor", f"GET /v1/broker-order-assignments?order_id={silent}")
    assert [(each["status"], each["end_reason"]) for each in listed["assignments"]] == [("released", "expired")]


async def test_a_contractor_works_and_is_paid_for_a_week(sqlite_app: App) -> None:
    # Each of these calls has its own test on PostgreSQL.
    people = People(sqlite_app)
    mo = await agree(people)
    await thursday(people, mo, await wednesday(people, mo))

    assert await people.next_day() == FRIDAY
    carried = (await people.does("mo", "GET /v1/rider/cash"))["cash"]
    assert carried["balance_minor"] == 2500
    counted = await people.does("admin", "POST /v1/cod/hand-ins", driver_id=mo, counted_minor=2500)
    assert (counted["difference_minor"], counted["cash"]["balance_minor"]) == (0, 0)
    statement = await people.does("contractor", f"GET /v1/pay/statement?week_of={FRIDAY}")
    sums = {each["kind"]: (each["count"], each["amount_minor"]) for each in statement["sums"]}
    assert sums == {"stop": (2, 800), "failed_stop": (1, 150), "route": (2, 2000)}
    assert statement["total_minor"] == 2950
    other = await people.does("contractor2", f"GET /v1/pay/statement?week_of={FRIDAY}")
    assert other["total_minor"] == 0

    await people.does("contractor", f"POST /v1/drivers/{mo}/disable")
    assert (await people.tries("mo", "GET /v1/rider/cash"))[0] == 401
