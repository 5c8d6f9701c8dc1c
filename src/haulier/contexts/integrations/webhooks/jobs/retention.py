"""Logs of deliveries are kept for a month."""

from datetime import timedelta

from haulier.contexts.integrations.webhooks.store import deliveries
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic

LOG_RETENTION = timedelta(days=30)


@periodic(timedelta(hours=1))
async def delete_old_deliveries(app: Application) -> None:
    """Delete what is older, a batch in a transaction, so that nobody waits long for it."""
    gone = 1
    while gone:
        async with app.database.write(None) as work:
            gone = await deliveries.delete_deliveries_before(work, app.clock() - LOG_RETENTION)
