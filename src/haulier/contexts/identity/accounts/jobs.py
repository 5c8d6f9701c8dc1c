"""What accounts forget by themselves, once it is too old to matter."""

from datetime import timedelta

from haulier.contexts.identity.accounts.rules.login_lockout import FAILURES_KEPT
from haulier.contexts.identity.accounts.store import failed_sign_ins
from haulier.kernel.application import Application
from haulier.kernel.background.periodic import periodic


@periodic(timedelta(hours=1))
async def delete_old_failed_sign_ins(app: Application) -> None:
    """Delete the counts of failed sign-ins that are old: strangers who guess addresses must not fill the database."""
    async with app.database.write(None) as work:
        await failed_sign_ins.delete_failed_sign_ins_before(work, app.clock() - FAILURES_KEPT)
