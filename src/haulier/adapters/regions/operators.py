"""Operators of map regions, and the countries of businesses, from their accounts."""

from haulier.contexts.identity.public import find_client_countries, is_operator
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import Database


class AccountRegionOperators:
    """Rights to change regions, by accounts."""

    async def is_operator(self, call: Call) -> bool:
        """Return True if the caller manages the server."""
        return await is_operator(call)

    async def business_countries(self, database: Database) -> frozenset[str]:
        """Return the countries of all businesses."""
        async with database.read(None) as work:
            return await find_client_countries(work)
