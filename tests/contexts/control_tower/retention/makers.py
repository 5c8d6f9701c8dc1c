"""Setup of retention tests: passing days and new tokens."""

from tests.support.app import App

from haulier.contexts.control_tower.retention.jobs import schedule_retention
from haulier.contexts.identity import public as access
from haulier.kernel.operations.enums import Account


async def make_round(app: App) -> None:
    """The daily round of every client."""
    await schedule_retention.handler(app.application)
    await app.work_off()


async def make_new_token(app: App) -> None:
    """A token for the admin, whose first one has expired."""
    words = {"client_id": app.clients["demo"], "user_id": app.ids["admin"], "account": Account.CLIENT_ADMIN}
    async with app.database.write(None) as work:
        app.tokens["admin"] = await access.issue_token(work, **words, now=app.clock.now)
