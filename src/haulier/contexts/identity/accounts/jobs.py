"""Periodic deletion of what accounts need no longer."""

from datetime import timedelta

from haulier.contexts.identity.accounts.rules import FAILURES_KEPT
from haulier.contexts.identity.accounts.store import tokens
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic


@periodic(timedelta(hours=1))
async def delete_old_failed_sign_ins(app: Application) -> None:
    """Delete old failed sign-ins, so that guessed addresses do not fill the database."""
    async with app.database.write(None) as work:
        await tokens.delete_failed_sign_ins_before(work, app.clock() - FAILURES_KEPT)
