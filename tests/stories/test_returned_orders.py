"""Returns: label, inspection, B-grade stock, and refunds that the office approves."""

import asyncio
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.warehouse.makers import make_product, make_warehouse, receive, some_locations
from tests.support import databases
from tests.support.app_machines import AppMachine, machine
from tests.support.tools import call_tool
from tests.support.transport import make_driver, make_order, make_route

HISTORIES = 8
ORDERS = 3
UNITS = 3
GRADES = ("a_grade", "b_grade", "damaged", "missing")
CONDITIONS = {"a_grade": "good", "b_grade": "b_grade", "damaged": "damaged"}


class ReturnedOrders(AppMachine):
    """A shop whose customers send goods back."""

    def __init__(self) -> None:
        super().__init__()
        self.charged: dict[int, int] = {}
        """Price of each delivered order."""
        self.left: dict[int, int] = {}
        """Units of each delivered order that can still come back."""
        self.open: dict[int, int] = {}
        """Units of each open return."""
        self.inspected: list[int] = []
        self.refunded = 0
        self.stock = dict.fromkeys(CONDITIONS.values(), 0)
        self.driver_id = self.wait(make_driver(self.app, user="driver"))
        self.answer("set_invoicing_settings", **SETTINGS)
        self.shelf = self.wait(self._make_shelf())
        self.stock["good"] = 1000

    async def _make_shelf(self) -> int:
        (shelf,) = await some_locations(self.app, await make_warehouse(self.app), "A-01")
        await make_product(self.app, "MUG", weight_g=350)
        await receive(self.app, shelf, 1000, "MUG")
        return shelf

    def answer(self, operation: str, who: str = "admin", **values: Any) -> Any:
        return self.wait(self.app.answer(who, operation, values, confirmed=True))

    def rest(self, method: str, path: str, body: Any = None, **words: Any) -> Any:
        return self.wait(self.app.rest("admin", method, f"/v1{path}", body, **words))

    @precondition(lambda self: len(self.charged) < ORDERS)
    @rule()
    def deliver(self) -> None:
        """An order with three mugs is delivered and charged."""
        order_id, stop = self.wait(self._started())
        self.charged[order_id] = self.answer("get_order_detail", order_id=order_id).order.shipping_price
        self.app.clock.forward(minutes=5)
        self.answer("deliver_stop", "driver", **stop, recipient="Ada")
        self.wait(self.app.work_off())
        self.left[order_id] = UNITS

    async def _started(self) -> tuple[int, dict[str, int]]:
        items = [{"sku": "MUG", "quantity": UNITS}]
        order_id = await make_order(self.app, consignee=ADDRESS, customer_id=self.app.ids["customer"], items=items)
        route_id = await make_route(self.app, order_ids=[order_id], driver_id=self.driver_id)
        route = (await self.app.answer("driver", "start_route", {"route_id": route_id})).route
        return order_id, {"route_id": route_id, "stop_id": route.stops[-1].id}

    @precondition(lambda self: self.left)
    @rule(n=st.integers(0, 20), units=st.integers(1, UNITS + 1), by_tool=st.booleans())
    def announce(self, n: int, units: int, by_tool: bool) -> None:
        """A customer returns some units; never more than were delivered."""
        order_id = list(self.left)[n % len(self.left)]
        asked = {"reason": "too_small", "items": [{"number": 1, "quantity": units}]}
        if by_tool and units <= self.left[order_id]:
            told = self.wait(call_tool(self.app, "admin", "create_order_return", order_id=order_id, **asked))
            made = told["order_return"]["id"]
        else:
            reply = self.rest("POST", f"/orders/{order_id}/returns", asked)
            if units > self.left[order_id]:
                assert (reply.status_code, reply.json()["code"]) == (409, "RETURN_QUANTITY_EXCEEDED")
                return
            made = reply.json()["order_return"]["id"]
        self.left[order_id] -= units
        self.open[made] = units
        parts = self.answer("list_fulfilments", order_id=order_id).fulfilments
        assert made in {each.order_return_id for each in parts if each.direction == "return"}

    @precondition(lambda self: self.open)
    @rule(n=st.integers(0, 20))
    def cancel(self, n: int) -> None:
        """A return is cancelled, and its units can be returned again."""
        made = list(self.open)[n % len(self.open)]
        shown = self.answer("cancel_order_return", order_return_id=made).order_return
        self.left[shown.order_id] += self.open.pop(made)

    @precondition(lambda self: self.open)
    @rule(n=st.integers(0, 20), grades=st.lists(st.sampled_from(GRADES), min_size=UNITS, max_size=UNITS))
    def inspect(self, n: int, grades: list[str]) -> None:
        """Two people inspect the same return at once: its units come back once."""
        made = list(self.open)[n % len(self.open)]
        lines = [
            {"number": 1, "grade": grade, "quantity": 1} | ({"location_id": self.shelf} if grade in CONDITIONS else {})
            for grade in grades[: self.open[made]]
        ]
        path = f"/v1/order-returns/{made}/inspection"
        replies = self.wait(self._at_once([("POST", path, {"lines": lines})] * 2))
        assert sorted(reply.status_code for reply in replies) == [200, 409], [reply.text for reply in replies]
        for grade in grades[: self.open.pop(made)]:
            if grade in CONDITIONS:
                self.stock[CONDITIONS[grade]] += 1
        self.inspected.append(made)

    async def _at_once(self, asked: list[Any]) -> list[Any]:
        return await asyncio.gather(*(self.app.rest("admin", *each) for each in asked))

    @precondition(lambda self: self.inspected)
    @rule(n=st.integers(0, 20), part=st.integers(1, 120), by_tool=st.booleans())
    def propose(self, n: int, part: int, by_tool: bool) -> None:
        """A clerk proposes a part of what is left of the charge, or too much."""
        made = self.inspected[n % len(self.inspected)]
        charge = self.answer("get_order_return", order_return_id=made).refundable_charges[0]
        minor = max(1, charge.refundable_minor * part // 100)
        asked = {"refunds": [{"charge_id": charge.charge_id, "amount_minor": minor}], "reason": "Goods came back."}
        if by_tool and minor <= charge.refundable_minor:
            self.wait(call_tool(self.app, "admin", "propose_return_refunds", order_return_id=made, **asked))
            return
        reply = self.rest("POST", f"/order-returns/{made}/refunds", asked)
        assert reply.status_code == (200 if minor <= charge.refundable_minor else 409), reply.text

    @precondition(lambda self: self.inspected)
    @rule(n=st.integers(0, 20), approve=st.booleans())
    def decide(self, n: int, approve: bool) -> None:
        """Two people decide at once: the money moves once."""
        made = self.inspected[n % len(self.inspected)]
        before = self.answer("get_order_return", order_return_id=made).order_return.refunds
        waiting = [each for each in before if each.state == "proposed"]
        asked = {"decision": "approve" if approve else "reject"}
        path = f"/v1/order-returns/{made}/refunds/decision"
        replies = self.wait(self._at_once([("POST", path, asked)] * 2))
        assert [reply.status_code for reply in replies] == [200, 200], [reply.text for reply in replies]
        if approve:
            self.refunded += sum(each.refund_minor for each in waiting)

    @precondition(lambda self: self.charged)
    @rule()
    def invoice(self) -> None:
        """The charges are invoiced, so that later refunds become credit notes."""
        asked = {"customer_id": self.app.ids["customer"]}
        run = self.wait(self.app.call("admin", "issue_invoice", asked, confirmed=True))
        assert not run.error or run.error["code"] == "NOTHING_TO_INVOICE"

    @invariant()
    def credit_is_what_was_delivered_less_what_was_refunded(self) -> None:
        balance, held, _ = self.wait(credit(self.app))
        assert (balance, held) == (self.refunded - sum(self.charged.values()), 0)
        assert self.wait(faults(self.app)) == []

    @invariant()
    def stock_is_what_was_received_and_put_back(self) -> None:
        levels = self.answer("list_stock_levels", sku="MUG").levels
        found = dict.fromkeys(self.stock, 0)
        for level in levels:
            found[level.condition] += level.on_hand
        assert found == self.stock
        assert self.answer("get_inventory", skus=["MUG"]).inventory[0].available == self.stock["good"]


class ReturnedOrdersOnPostgres(ReturnedOrders):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestReturnedOrders = machine(ReturnedOrders, 10)
    TestReturnedOrders.settings = settings(TestReturnedOrders.settings, max_examples=HISTORIES)
if "postgres" in databases.CHOSEN:
    TestReturnedOrdersOnPostgres = machine(ReturnedOrdersOnPostgres, 10)
