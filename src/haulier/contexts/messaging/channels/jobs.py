"""Tickets that have ended are forgotten."""

from datetime import timedelta

from haulier.contexts.messaging.channels import store
from haulier.contexts.messaging.ports import Channel
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic

KEPT = timedelta(days=1)


@periodic(timedelta(hours=1))
async def delete_ended_tickets(app: Application) -> None:
    """Delete the tickets that ended a day ago."""
    channel = app.adapter(Channel)
    async with app.database.write(None) as work:
        await store.delete_tickets_before(
            work, app.clock() - KEPT, told=channel.configured and not channel.asks_sign_ins
        )
