"""Jobs that fold entries into daily sums."""

from datetime import timedelta

from haulier.contexts.analytics.sums.actions import FOLDED_AT_ONCE, fold_sums
from haulier.contexts.analytics.sums.store import has_sum_entries
from haulier.contexts.identity.public import find_all_client_ids
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic

EVERY = timedelta(minutes=1)
"""Sums are always correct; a longer interval only slows down reading."""


@periodic(EVERY)
async def fold_all_sums(app: Application) -> None:
    """Fold the entries of every client, each in its own transactions."""
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.read(client_id) as work:
            waiting = await has_sum_entries(work)
        while waiting:
            async with app.database.write(client_id) as work:
                waiting = await fold_sums(work) == FOLDED_AT_ONCE
