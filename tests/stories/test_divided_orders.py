"""Orders in several parcels: short lines wait, and the rest ships."""

import asyncio
from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.journal.makers import YEARS, balances, journal
from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.orders.backorder_makers import backordered, make_shelf, make_short_order, show_order
from tests.contexts.warehouse.makers import inventory, receive
from tests.support import databases
from tests.support.app import App
from tests.support.app_machines import AppMachine, machine
from tests.support.tools import call_tool
from tests.support.transport import make_driver, make_route, make_started_route

HISTORIES, STEPS = 6, 10
ORDERS, UNITS = 3, 3
SKU = "MUG"


class DividedOrders(AppMachine):
    """A shop that sells more than it has."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: dict[int, list[int]] = {}
        """Orders that carry out each original order."""
        self.ordered: dict[int, int] = {}
        self.prices: dict[int, int] = {}
        self.taxes: dict[int, int] = {}
        self.backorders: dict[int, int] = {}
        """Original order of each backorder."""
        self.received = self.shipped = self.charged = 0
        self.driver_id = self.wait(make_driver(self.app, user="driver"))
        self.answer("set_invoicing_settings", **SETTINGS)
        self.shelf = self.wait(make_shelf(self.app, MUG=0))
        self.warehouse_id = self.answer("get_warehouses").warehouses[0].id

    def answer(self, operation: str, who: str | None = "admin", **values: Any) -> Any:
        return self.wait(self.app.answer(who, operation, values, confirmed=True))

    def at_once(self, *asked: tuple[str, str, Any]) -> list[Any]:
        async def both() -> list[Any]:
            return await asyncio.gather(*(self.app.rest("admin", *each) for each in asked))

        replies = self.wait(both())
        self.wait(self.app.work_off())
        return replies

    def shown(self, order_id: int) -> Any:
        return self.wait(show_order(self.app, order_id))

    def open_parts(self, *statuses: str) -> list[int]:
        every = [id for ids in self.parts.values() for id in ids]
        return [id for id in every if self.shown(id).status in statuses]

    @precondition(lambda self: len(self.ordered) < ORDERS)
    @rule(units=st.integers(1, UNITS))
    def order(self, units: int) -> None:
        """A customer orders units, in stock or not."""
        order_id = self.wait(make_short_order(self.app, MUG=units))
        self.parts[order_id], self.ordered[order_id] = [order_id], units
        self.prices[order_id] = self.shown(order_id).shipping_price
        self.taxes[order_id] = self.shown(order_id).tax

    @rule(units=st.integers(1, 2))
    def goods_arrive(self, units: int) -> None:
        """Two deliveries arrive at once, and orders that wait get them."""
        line = {"sku": SKU, "quantity": units, "location_id": self.shelf}
        replies = self.at_once(*[("POST", "/v1/wms/stock/receipts", {"lines": [line]})] * 2)
        assert [reply.status_code for reply in replies] == [200, 200], [reply.text for reply in replies]
        self.received += 2 * units

    @precondition(lambda self: self.ordered)
    @rule(n=st.integers(0, 20))
    def backorder_what_is_short(self, n: int) -> None:
        """Two clerks backorder the short units of an order at once: it is divided once."""
        order_id = list(self.ordered)[n % len(self.ordered)]
        replies = self.at_once(*[("POST", f"/v1/orders/{order_id}/backorders", {})] * 2)
        assert sorted(reply.status_code for reply in replies)[1] == 409, [reply.text for reply in replies]
        for reply in replies:
            if reply.status_code == 200:
                self.note(order_id, reply.json()["backorder"])

    @precondition(lambda self: self.ordered)
    @rule(n=st.integers(0, 20), by_tool=st.booleans(), auto=st.booleans())
    def divide(self, n: int, by_tool: bool, auto: bool) -> None:
        """A clerk moves one unit of an open order to a second parcel."""
        ready = [id for id in self.open_parts("NEW_ORDER") if self.shown(id).items[0].quantity > 1]
        if not ready:
            return
        part = ready[n % len(ready)]
        asked = {"items": [{"number": 1, "quantity": 1}], "auto_release": auto}
        if by_tool:
            made = self.wait(call_tool(self.app, "admin", "create_backorder", order_id=part, **asked))["backorder"]
        else:
            made = self.wait(self.app.rest("admin", "POST", f"/v1/orders/{part}/backorders", asked)).json()["backorder"]
        self.note(next(id for id, ids in self.parts.items() if part in ids), made)
        self.wait(self.app.work_off())

    def note(self, order_id: int, backorder: Any) -> None:
        assert backorder["order_id"] == order_id
        self.backorders[backorder["id"]] = order_id
        if backorder["backorder_order_id"] not in self.parts[order_id]:
            self.parts[order_id].append(backorder["backorder_order_id"])

    @precondition(lambda self: self.backorders)
    @rule(n=st.integers(0, 20))
    def merge(self, n: int) -> None:
        """Two clerks merge a part into its order at once; it is possible until one leaves."""
        made = list(self.backorders)[n % len(self.backorders)]
        before = self.answer("get_backorder", backorder_id=made).backorder
        both = [self.shown(id).status for id in (before.order_id, before.backorder_order_id)]
        free = set(both) <= {"NEW_ORDER", "HOLD", "PLANNED"} and before.order_id != before.backorder_order_id
        possible = before.state == "merged" or (free and before.state != "cancelled")
        replies = self.at_once(*[("POST", f"/v1/backorders/{made}/merge", {})] * 2)
        assert {reply.status_code for reply in replies} == {200 if possible else 409}, [r.text for r in replies]

    @precondition(lambda self: self.ordered)
    @rule(n=st.integers(0, 20))
    def cancel(self, n: int) -> None:
        """A clerk cancels a part that waits, and the others stay."""
        if waiting := self.open_parts("HOLD"):
            self.answer("cancel_order", order_id=waiting[n % len(waiting)])
            self.wait(self.app.work_off())

    @precondition(lambda self: self.ordered)
    @rule(n=st.integers(0, 20))
    def deliver(self, n: int) -> None:
        """A part with all its units is shipped, delivered and charged."""
        ready = [id for id in self.open_parts("NEW_ORDER") if self.stock_of(id).short == 0]
        if not ready:
            return
        part = self.shown(ready[n % len(ready)])
        units, price = part.items[0].quantity, part.shipping_price
        self.answer("ship_stock", warehouse_id=self.warehouse_id, reference=part.tracking_number, unpicked=True)
        self.wait(self.drive(part.id))
        self.shipped, self.charged = self.shipped + units, self.charged + price

    async def drive(self, order_id: int) -> None:
        route_id = await make_route(self.app, order_ids=[order_id], driver_id=self.driver_id)
        route = (await self.app.answer("driver", "start_route", {"route_id": route_id})).route
        self.app.clock.forward(minutes=5)
        stop = {"route_id": route_id, "stop_id": route.stops[-1].id, "recipient": "Ada"}
        await self.app.answer("driver", "deliver_stop", stop)
        await self.app.work_off()

    @precondition(lambda self: self.charged)
    @rule()
    def invoice(self) -> None:
        """The month is invoiced: every delivered part once."""
        self.wait(self.app.call("admin", "issue_invoice", {"customer_id": self.app.ids["customer"]}, confirmed=True))

    def stock_of(self, order_id: int) -> Any:
        return self.answer("get_order_stock", order_id=order_id).lines[0]

    @invariant()
    def parts_have_the_units_the_price_and_the_tax_of_their_order(self) -> None:
        for order_id, ids in self.parts.items():
            parts = [part for id in ids if (part := self.shown(id)).replaced_by_order_id is None]
            assert sum(part.items[0].quantity for part in parts) == self.ordered[order_id]
            assert sum(part.shipping_price for part in parts) == self.prices[order_id]
            assert sum(part.tax for part in parts) == self.taxes[order_id]

    @invariant()
    def stock_is_what_was_received_less_what_was_shipped(self) -> None:
        reserved = sum(self.stock_of(id).reserved for id in self.open_parts("NEW_ORDER", "HOLD", "PLANNED"))
        on_hand, held, available = self.wait(inventory(self.app)).get(SKU, (0, 0, 0))
        assert (on_hand, held, available) == (self.received - self.shipped, reserved, on_hand - reserved)
        assert available >= 0

    @invariant()
    def no_unit_is_free_while_a_backorder_waits_for_it(self) -> None:
        waiting = self.answer("list_backorders", state="waiting").backorders
        missing = [self.stock_of(each.backorder_order_id).short for each in waiting if each.auto_release]
        assert all(missing)
        assert not missing or self.wait(inventory(self.app))[SKU][2] == 0

    @invariant()
    def the_tracking_page_of_each_part_shows_all(self) -> None:
        for order_id, ids in self.parts.items():
            parts = [self.shown(id) for id in ids]
            live = [each for each in parts if each.id == order_id or each.status != "CANCELLED"]
            for each in live:
                told = self.answer("get_delivery_notice", None, number=each.tracking_number).parcels
                expected = [part.tracking_number for part in live] if len(live) > 1 else []
                assert Counter(parcel.tracking_number for parcel in told) == Counter(expected)

    @invariant()
    def credit_and_invoices_are_what_was_delivered(self) -> None:
        balance, held, _ = self.wait(credit(self.app))
        assert (balance, held) == (-self.charged, 0)
        assert self.wait(faults(self.app)) == []
        invoiced = sum(each.total_minor for each in self.answer("list_invoices").invoices)
        assert invoiced <= self.charged

    @invariant()
    def the_tax_of_an_invoice_is_that_of_its_parts(self) -> None:
        for row in self.answer("list_invoices").invoices:
            lines = self.answer("get_invoice", invoice_id=row.id).invoice.lines
            taxes = [sum(tax.amount_minor for tax in line.taxes) for line in lines]
            assert taxes == [self.shown(line.subject_id).tax for line in lines]
            assert row.tax_minor == sum(taxes)


class DividedOrdersOnPostgres(DividedOrders):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestDividedOrders = machine(DividedOrders, STEPS)
    TestDividedOrders.settings = settings(TestDividedOrders.settings, max_examples=HISTORIES)
if "postgres" in databases.CHOSEN:
    TestDividedOrdersOnPostgres = machine(DividedOrdersOnPostgres, STEPS)
    TestDividedOrdersOnPostgres.settings = settings(TestDividedOrdersOnPostgres.settings, max_examples=HISTORIES)


async def test_a_short_line_makes_two_parcels_on_one_tracking_page(app: App) -> None:
    shelf = await make_shelf(app, MUG=2, PLATE=0)
    order_id = await make_short_order(app, MUG=2, PLATE=1)
    made = await backordered(app, order_id, expected_on="2026-12-24")
    numbers = [(await show_order(app, id)).tracking_number for id in (order_id, made.backorder_order_id)]
    told = (await app.answer(None, "get_delivery_notice", {"number": numbers[1]})).parcels
    assert [(each.number, each.tracking_number, each.status) for each in told] == [
        (1, numbers[0], "information_submitted"),
        (2, numbers[1], "on_hold"),
    ]
    page = await app.http.get(f"/track/{numbers[0]}")
    assert [words in page.text for words in ("Parcel 2 of 2", numbers[1], "December 24, 2026")] == [True] * 3

    route = await make_started_route(app, [order_id])
    app.clock.forward(minutes=5)
    done = {"route_id": route.id, "stop_id": route.stops[-1].id, "recipient": "Ada"}
    await app.answer("driver", "deliver_stop", done)
    await receive(app, shelf, 1, "PLATE")
    await app.work_off()
    parts = (await app.answer("customer", "list_fulfilments", {"order_id": order_id})).fulfilments
    assert [(part.part_number, part.status) for part in parts] == [(1, "delivered"), (2, "waiting")]
    told = (await app.answer(None, "get_delivery_notice", {"number": numbers[0]})).parcels
    assert [each.status for each in told] == ["delivered", "booking_confirmed"]


async def test_the_invoice_of_an_order_in_three_parcels_has_its_tax_to_the_cent(app: App) -> None:
    await app.answer("admin", "set_invoicing_settings", SETTINGS)
    shelf = await make_shelf(app, MUG=1, PLATE=0, BOWL=0)
    driver_id = await make_driver(app, user="driver")
    whole = await make_short_order(app, MUG=1, PLATE=1, BOWL=1)
    before = await show_order(app, whole)
    part = (await backordered(app, whole, items=[{"number": 2, "quantity": 1}])).backorder_order_id
    last = (await backordered(app, whole, items=[{"number": 2, "quantity": 1}])).backorder_order_id
    for sku in ("PLATE", "BOWL"):
        await receive(app, shelf, 1, sku)
    await app.work_off()
    for order_id in (whole, part, last):
        route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
        route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
        app.clock.forward(minutes=5)
        stop = {"route_id": route_id, "stop_id": route.stops[-1].id, "recipient": "Ada"}
        await app.answer("driver", "deliver_stop", stop)
        await app.work_off()
    invoice = (await app.answer("admin", "issue_invoice", {"customer_id": app.ids["customer"]})).invoice
    taxes = [tax.amount_minor for line in invoice.lines for tax in line.taxes]
    assert {line.subject_id for line in invoice.lines} == {whole, part, last}
    assert (invoice.total_minor, invoice.tax_minor, sum(taxes)) == (before.shipping_price, before.tax, before.tax)
    report = await app.answer("admin", "get_tax_report", YEARS)
    assert [each.tax_minor for each in report.totals] == [before.tax]
    assert -balances(await journal(app))["tax"] == before.tax
    named = {"invoice_id": invoice.id, "transfer_id": invoice.lines[1].transfer_id, "reason": "Lost"}
    note = (await app.answer("admin", "credit_invoice", named)).invoice
    assert (note.total_minor, note.tax_minor) == (invoice.lines[1].amount_minor, taxes[1])
    assert await faults(app) == []
