"""Retention: the log of deliveries is kept for 30 days."""

from datetime import timedelta

from haulier.contexts.integrations.webhooks.store import deliveries
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic

LOG_RETENTION = timedelta(days=30)


@periodic(timedelta(hours=1))
async def delete_old_deliveries(app: Application) -> None:
    """Delete what is older, one batch in a transaction, so that each transaction is short."""
    deleted = 1
    while deleted:
        async with app.database.write(None) as work:
            deleted = await deliveries.delete_deliveries_before(work, app.clock() - LOG_RETENTION)
