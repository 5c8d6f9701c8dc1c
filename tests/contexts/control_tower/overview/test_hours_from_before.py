"""Orders from before hours keep correct sums, and get hours from a rebuild."""

import asyncio
from collections import Counter

from tests.contexts.control_tower.overview.makers import fail, make_delivered_order
from tests.support.app import App
from tests.support.separate_database import separate as separate
from tests.support.transport import make_order

from haulier.adapters.migrations import downgrade_schema, upgrade_schema
from haulier.cli.analytics import _rebuild
from haulier.contexts.analytics.public import find_sum_faults, fold_sums
from haulier.contexts.analytics.sums.store import daily_sums
from haulier.contexts.control_tower.public import sum_truths

BEFORE = "0152"


async def orders_by_hour(app: App) -> Counter[int]:
    """Return folded orders by subject.

    Read in a write, because readers of SQLite miss changes of other connections.
    """
    async with app.database.write(app.clients["demo"]) as work:
        await fold_sums(work)
        assert await find_sum_faults(work, sum_truths()) == {}
        of_hours = (daily_sums.c.dimension == "hour") & (daily_sums.c.measure == "orders") & (daily_sums.c.count != 0)
        rows = await work.all(daily_sums.select().where(of_hours))
    found: Counter[int] = Counter()
    for row in rows:
        found[row.subject_id] += row.count
    return found


async def test_orders_from_before_have_no_hour_until_a_rebuild(separate: App) -> None:
    app, client = separate, separate.clients["demo"]
    await make_delivered_order(app)
    async with app.database.write(client) as work:
        await fold_sums(work)
    await fail(app, await make_order(app, scheduled_date=None), "nobody_home")
    await asyncio.to_thread(downgrade_schema, app.database_url, BEFORE)
    await asyncio.to_thread(upgrade_schema, app.database_url)
    assert (await orders_by_hour(app)).total() == 2
    await _rebuild(app.application, client)
    assert await orders_by_hour(app) == {11: 2}
