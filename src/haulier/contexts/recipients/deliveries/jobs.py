"""Deletion of expired accesses."""

from datetime import timedelta

from haulier.contexts.recipients.deliveries import store
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic


@periodic(timedelta(hours=1))
async def delete_old_accesses(app: Application) -> None:
    """Delete expired accesses of recipients."""
    async with app.database.write(None) as work:
        await store.delete_accesses_before(work, app.clock())
