"""Users and API tokens that created provider keys, for the tracking context."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.identity.public import SetUpBy, get_set_up_columns, list_standing_principals
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.principal import Business, Principal


class AccountKeyIssuers:
    """Key issuers from the accounts of the client."""

    async def get_set_up_columns(self, call: Call) -> dict[str, int | None]:
        """Return the columns that record the caller and their API token, if any."""
        return await get_set_up_columns(call)

    async def list_standing(
        self, work: UnitOfWork, business: Business, who: Collection[SetUpBy], now: datetime
    ) -> dict[SetUpBy, Principal]:
        """Return the principals of the users and tokens that are still active."""
        return await list_standing_principals(work, business, who, now)
