"""What accounts forget by themselves, once it is too old to matter."""

from datetime import timedelta

from haulier.contexts.access.accounts.rules.lockout import KEPT
from haulier.contexts.access.accounts.store import failures
from haulier.kernel.house import House
from haulier.kernel.rounds import goes_round


@goes_round(timedelta(hours=1))
async def forget_failures(house: House) -> None:
    """Delete the counts of failed sign-ins that are old: strangers who guess addresses must not fill the database."""
    async with house.database.write(None) as work:
        await failures.forget_older(work, house.clock() - KEPT)
