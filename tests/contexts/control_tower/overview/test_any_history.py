"""Whatever becomes of orders in whatever order, and whenever sums are folded, the sums say what the orders say."""

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from sqlalchemy import select
from tests.contexts.control_tower.overview.makers import give_to_driver, sum_faults, take_step
from tests.support import databases
from tests.support.app import App, an_app
from tests.support.hypothesis_profiles import costly
from tests.support.transport import an_order

from haulier.contexts.analytics.public import fold_sums
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.contexts.orders.public import OrderStatus, OrderStep

which = st.integers(0, 9)


class SomeOrders(RuleBasedStateMachine):
    """Orders over a real database, whose sums are compared with them after each step."""

    database = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        file = self.database == "sqlite"
        url = databases.migrated_file(Path(self.folder.name)) if file else databases.cluster().url()
        self.opened = an_app(url)
        self.app: App = self.loop.run_until_complete(self.opened.__aenter__())
        self.orders: list[int] = []

    def do(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    @rule(day=st.sampled_from([None, "2026-06-10", "2026-06-11"]), who=st.sampled_from([None, "customer", "customer2"]))
    def create(self, day: str | None, who: str | None) -> None:
        customer = self.app.ids[who] if who else None
        self.orders.append(self.do(an_order(self.app, scheduled_date=day, customer_id=customer)))

    @rule(number=which, step=st.sampled_from(OrderStep))
    def step(self, number: int, step: OrderStep) -> None:
        if self.orders:
            self.do(take_step(self.app, self.orders[number % len(self.orders)], step))

    @rule(number=which, who=st.sampled_from(["driver", "driver2"]))
    def hand_to(self, number: int, who: str) -> None:
        if self.orders:
            self.do(give_to_driver(self.app, self.orders[number % len(self.orders)], who))

    @rule(hours=st.integers(1, 30))
    def time_passes(self, hours: int) -> None:
        self.app.clock.forward(hours=hours)

    @rule(most=st.integers(1, 10))
    def fold(self, most: int) -> None:
        async def done() -> None:
            async with self.app.database.write(self.app.clients["demo"]) as work:
                await fold_sums(work, most)

        self.do(done())

    @invariant()
    def sums_agree(self) -> None:
        assert self.do(sum_faults(self.app)) == {}

    @invariant()
    def the_summary_counts_what_there_is(self) -> None:
        asked = {"date_from": "2026-06-01", "date_to": "2027-05-31", "group_by": "status"}
        lines = self.do(self.app.answer("admin", "get_orders_summary", asked)).lines
        shown = {line.key: line.orders for line in lines if line.orders}
        assert shown == Counter(OrderStatus(status).name for status in self.do(self._statuses()))

    async def _statuses(self) -> list[int]:
        async with self.app.database.read(self.app.clients["demo"]) as work:
            return [row.status for row in await work.all(select(orders.c.status))]

    def teardown(self) -> None:
        self.do(self.opened.__aexit__(None, None, None))
        self.loop.close()
        self.folder.cleanup()
        if self.database != "sqlite":
            databases.cluster().sweep()


class SomeOrdersOnPostgres(SomeOrders):
    """The same on PostgreSQL."""

    database = "postgres"


def machine(of: type[SomeOrders]) -> Any:
    case = of.TestCase
    case.settings = settings(costly, stateful_step_count=25)
    return case


if "sqlite" in databases.CHOSEN:
    TestSomeOrders = machine(SomeOrders)
if "postgres" in databases.CHOSEN:
    TestSomeOrdersOnPostgres = machine(SomeOrdersOnPostgres)
