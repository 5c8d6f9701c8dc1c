"""A count finds less than reserved: posted, and the orders become exceptions."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from tests.contexts.orders.backorder_makers import make_shelf, make_short_order, show_order
from tests.contexts.warehouse.makers import inventory, receive
from tests.stories.people import People
from tests.support import databases
from tests.support.app import App
from tests.support.app_machines import AppMachine, machine
from tests.support.tools import call_tool

HISTORIES, STEPS = 8, 12
ORDERS, UNITS = 4, 3
SKU = "MUG"


async def make_posted_count(app: App, shelf: int, found: int) -> Any:
    """Count the mugs on a shelf, and post the difference; the answer."""
    people = People(app)
    warehouse = (await people.does("admin", "GET /v1/wms/warehouses"))["warehouses"][0]["id"]
    asked = {"warehouse_id": warehouse, "location_ids": [shelf]}
    count = (await people.does("employee", "POST /v1/wms/counts", **asked))["count"]["id"]
    line = {"location_id": shelf, "sku": SKU, "quantity": found}
    await people.does("employee", f"POST /v1/wms/counts/{count}/lines", lines=[line])
    await people.does("employee", f"POST /v1/wms/counts/{count}/finish")
    posted = await people.does("admin", f"POST /v1/wms/counts/{count}/approve")
    await app.work_off()
    return posted


async def short_problems(app: App) -> dict[int, list[Any]]:
    """The stock problems of the orders that are exceptions, by order."""
    found = await People(app).does("employee", "GET /v1/orders/exceptions?kinds=stock_short")
    return {
        each["order_id"]: [one for one in each["problems"] if one["kind"] == "stock_short"]
        for each in found["exceptions"]
    }


async def test_a_count_releases_the_newest_reservations_and_their_orders_become_exceptions(app: App) -> None:
    people, shelf = People(app), await make_shelf(app, MUG=6)
    _, second, third = [await make_short_order(app, MUG=2) for _ in range(3)]
    assert await inventory(app) == {SKU: (6, 6, 0)}

    posted = await make_posted_count(app, shelf, 3)
    assert [(each["order_id"], each["quantity"]) for each in posted["released"]] == [(third, 2), (second, 1)]
    assert await inventory(app) == {SKU: (3, 3, 0)}
    problems = await short_problems(app)
    assert problems.keys() == {second, third}
    assert [(one["sku"], one["quantity"], one["owner_id"]) for one in problems[third]] == [(SKU, 2, app.ids["admin"])]

    for order_id in (second, third):
        path = f"PUT /v1/wms/shortages/{problems[order_id][0]['shortage_id']}"
        await people.does("admin", path, owner_id=app.ids["employee"])
    owned = [one["owner_id"] for each in (await short_problems(app)).values() for one in each]
    assert owned == [app.ids["employee"]] * 2

    made = await people.does("employee", f"POST /v1/orders/{second}/backorders")
    await people.does("employee", f"PATCH /v1/orders/{third}", items=[{"description": "Card", "quantity": 1}])
    await app.work_off()
    assert third not in await short_problems(app)
    assert second not in await short_problems(app)
    (waiting,) = (await people.does("employee", "GET /v1/wms/shortages"))["shortages"]
    assert (waiting["order_id"], waiting["owner_id"]) == (made["backorder"]["backorder_order_id"], app.ids["employee"])
    assert [line.short for line in (await app.answer("admin", "get_order_stock", {"order_id": second})).lines] == [0]
    assert await inventory(app) == {SKU: (3, 3, 0)}


async def test_an_agent_resolves_the_exceptions_of_a_count(app: App) -> None:
    shelf = await make_shelf(app, MUG=4)
    orders = [await make_short_order(app, MUG=2) for _ in range(2)]
    await make_posted_count(app, shelf, 1)
    listed = await call_tool(app, "admin", "list_exceptions", kinds=["stock_short"])
    missing = {each["order_id"]: each["problems"][0]["quantity"] for each in listed["exceptions"]}
    assert missing == {orders[0]: 1, orders[1]: 2}
    for order_id in orders:
        await call_tool(app, "admin", "create_backorder", order_id=order_id, expected_on="2026-12-24")
    await receive(app, shelf, 3)
    await app.work_off()
    listed = await call_tool(app, "admin", "list_exceptions", kinds=["stock_short"])
    assert listed["exceptions"] == []
    assert await inventory(app) == {SKU: (4, 4, 0)}


async def test_units_found_elsewhere_close_the_exception(app: App) -> None:
    shelf = await make_shelf(app, MUG=3)
    order_id = await make_short_order(app, MUG=3)
    await make_posted_count(app, shelf, 1)
    await receive(app, shelf, 1)
    await app.answer("employee", "reserve_order_stock", {"order_id": order_id})
    (problem,) = (await short_problems(app))[order_id]
    assert (problem["quantity"], problem["owner_id"]) == (1, app.ids["admin"])
    await receive(app, shelf, 1)
    await app.answer("employee", "reserve_order_stock", {"order_id": order_id})
    assert await short_problems(app) == {}
    assert await inventory(app) == {SKU: (3, 3, 0)}


class CountedOrders(AppMachine):
    """A shop that counts while it sells."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: list[int] = []
        self.on_hand = 4
        self.shelf = self.wait(make_shelf(self.app, MUG=self.on_hand))
        self.warehouse_id = self.answer("get_warehouses").warehouses[0].id

    def answer(self, operation: str, **values: Any) -> Any:
        return self.wait(self.app.answer("admin", operation, values, confirmed=True))

    def some(self, n: int, *statuses: str) -> int | None:
        every = [id for id in self.orders if self.wait(show_order(self.app, id)).status in statuses]
        return every[n % len(every)] if every else None

    @precondition(lambda self: len(self.orders) < ORDERS)
    @rule(units=st.integers(1, UNITS))
    def order(self, units: int) -> None:
        """A customer orders units, in stock or not."""
        self.orders.append(self.wait(make_short_order(self.app, MUG=units)))

    @rule(found=st.integers(0, 8))
    def count(self, found: int) -> None:
        """A count posts what is there."""
        reserved = sum(self.stock_of(id).reserved for id in self.orders)
        released = self.wait(make_posted_count(self.app, self.shelf, found))["released"]
        assert sum(each["quantity"] for each in released) == max(0, reserved - found)
        assert all(each["order_id"] in self.orders for each in released)
        self.on_hand = found

    @rule(units=st.integers(1, 2))
    def goods_arrive(self, units: int) -> None:
        self.wait(receive(self.app, self.shelf, units))
        self.wait(self.app.work_off())
        self.on_hand += units

    @precondition(lambda self: self.orders)
    @rule(n=st.integers(0, 20))
    def reserve_again(self, n: int) -> None:
        """The owner looks for units elsewhere."""
        if (order_id := self.some(n, "NEW_ORDER")) is not None:
            self.answer("reserve_order_stock", order_id=order_id)
            self.wait(self.app.work_off())

    @precondition(lambda self: self.orders)
    @rule(n=st.integers(0, 20))
    def backorder(self, n: int) -> None:
        """The owner backorders what is short."""
        if (order_id := self.some(n, "NEW_ORDER")) is not None:
            made = self.wait(self.app.call("admin", "create_backorder", {"order_id": order_id}, confirmed=True))
            if made.answer and made.answer.backorder.backorder_order_id not in self.orders:
                self.orders.append(made.answer.backorder.backorder_order_id)
            self.wait(self.app.work_off())

    @precondition(lambda self: self.orders)
    @rule(n=st.integers(0, 20))
    def cancel(self, n: int) -> None:
        if (order_id := self.some(n, "NEW_ORDER", "HOLD")) is not None:
            self.answer("cancel_order", order_id=order_id)
            self.wait(self.app.work_off())

    @precondition(lambda self: self.orders)
    @rule(n=st.integers(0, 20))
    def ship(self, n: int) -> None:
        """The reserved units of an order leave."""
        order_id = self.some(n, "NEW_ORDER")
        if order_id is None or not (units := self.stock_of(order_id).reserved):
            return
        number = self.wait(show_order(self.app, order_id)).tracking_number
        self.answer("ship_stock", warehouse_id=self.warehouse_id, reference=number, unpicked=True)
        self.on_hand -= units

    def stock_of(self, order_id: int) -> Any:
        return self.answer("get_order_stock", order_id=order_id).lines[0]

    @invariant()
    def stock_is_what_was_counted_and_no_more_is_reserved(self) -> None:
        reserved = sum(self.stock_of(id).reserved for id in self.orders)
        expected = (self.on_hand, reserved, self.on_hand - reserved)
        assert self.wait(inventory(self.app)).get(SKU, (0, 0, 0)) == expected
        assert expected[2] >= 0

    @invariant()
    def an_open_order_that_misses_units_is_an_exception_with_an_owner(self) -> None:
        exceptions = self.wait(short_problems(self.app))
        for order_id in self.orders:
            status, short = self.wait(show_order(self.app, order_id)).status, self.stock_of(order_id).short
            if status in ("NEW_ORDER", "HOLD"):
                assert (order_id in exceptions) == (short > 0)
            if status == "NEW_ORDER":
                problems = exceptions.get(order_id, [])
                assert sum(each["quantity"] for each in problems) == short
                assert all(each["owner_id"] for each in problems)

    @invariant()
    def a_closed_order_leaves_no_shortage_open(self) -> None:
        for each in self.answer("list_stock_shortages").shortages:
            assert self.wait(show_order(self.app, each.order_id)).status in ("NEW_ORDER", "HOLD")


class CountedOrdersOnPostgres(CountedOrders):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestCountedOrders = machine(CountedOrders, STEPS)
    TestCountedOrders.settings = settings(TestCountedOrders.settings, max_examples=HISTORIES)
if "postgres" in databases.CHOSEN:
    TestCountedOrdersOnPostgres = machine(CountedOrdersOnPostgres, STEPS)
    TestCountedOrdersOnPostgres.settings = settings(TestCountedOrdersOnPostgres.settings, max_examples=HISTORIES)
