"""Aggregates match the orders after any history, whenever they are folded."""

from collections import Counter

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from sqlalchemy import select
from tests.contexts.control_tower.overview.makers import give_to_driver, sum_faults, take_step
from tests.support import databases
from tests.support.app_machines import AppMachine, machine
from tests.support.transport import make_order

from haulier.contexts.analytics.public import fold_sums
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.contexts.orders.public import OrderStatus, OrderStep

which = st.integers(0, 9)


class SomeOrders(AppMachine):
    """Orders over a real database, whose sums are compared with them after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.orders: list[int] = []

    @rule(day=st.sampled_from([None, "2026-06-10", "2026-06-11"]), who=st.sampled_from([None, "customer", "customer2"]))
    def create(self, day: str | None, who: str | None) -> None:
        customer = self.app.ids[who] if who else None
        self.orders.append(self.wait(make_order(self.app, scheduled_date=day, customer_id=customer)))

    @rule(number=which, step=st.sampled_from(OrderStep))
    def step(self, number: int, step: OrderStep) -> None:
        if self.orders:
            self.wait(take_step(self.app, self.orders[number % len(self.orders)], step))

    @rule(number=which, who=st.sampled_from(["driver", "driver2"]))
    def hand_to(self, number: int, who: str) -> None:
        if self.orders:
            self.wait(give_to_driver(self.app, self.orders[number % len(self.orders)], who))

    @rule(hours=st.integers(1, 30))
    def time_passes(self, hours: int) -> None:
        self.app.clock.forward(hours=hours)

    @rule(most=st.integers(1, 10))
    def fold(self, most: int) -> None:
        async def done() -> None:
            async with self.app.database.write(self.app.clients["demo"]) as work:
                await fold_sums(work, most)

        self.wait(done())

    @invariant()
    def sums_agree(self) -> None:
        assert self.wait(sum_faults(self.app)) == {}

    @invariant()
    def the_summary_counts_what_there_is(self) -> None:
        asked = {"date_from": "2026-06-01", "date_to": "2027-05-31", "group_by": "status"}
        lines = self.wait(self.app.answer("admin", "get_orders_summary", asked)).lines
        shown = {line.key: line.orders for line in lines if line.orders}
        assert shown == Counter(OrderStatus(status).name for status in self.wait(self._statuses()))

    async def _statuses(self) -> list[int]:
        async with self.app.database.read(self.app.clients["demo"]) as work:
            return [row.status for row in await work.all(select(orders.c.status))]


class SomeOrdersOnPostgres(SomeOrders):
    """The same on PostgreSQL."""

    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestSomeOrders = machine(SomeOrders, 25)
if "postgres" in databases.CHOSEN:
    TestSomeOrdersOnPostgres = machine(SomeOrdersOnPostgres, 25)
