"""Users and API tokens behind provider keys, for a port of tracking."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.identity.public import SetUpBy, get_set_up_columns, list_standing_principals
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.principal import Business, Principal


class AccountKeyIssuers:
    """Answers from the accounts of the client."""

    async def get_set_up_columns(self, call: Call) -> dict[str, int | None]:
        """Return the columns that name the caller and the API token that they use, if any."""
        return await get_set_up_columns(call)

    async def list_standing(
        self, work: UnitOfWork, business: Business, who: Collection[SetUpBy], now: datetime
    ) -> dict[SetUpBy, Principal]:
        """Return the principals among users and tokens that still work."""
        return await list_standing_principals(work, business, who, now)
