"""Logs of deliveries are kept for a month."""

from datetime import timedelta

from haulier.contexts.integrations.webhooks.store import deliveries
from haulier.kernel.house import House
from haulier.kernel.rounds import goes_round

KEPT = timedelta(days=30)


@goes_round(timedelta(hours=1))
async def forget_deliveries(house: House) -> None:
    """Delete what is older, a batch in a transaction, so that nobody waits long for it."""
    gone = 1
    while gone:
        async with house.database.write(None) as work:
            gone = await deliveries.forget_older(work, house.clock() - KEPT)
