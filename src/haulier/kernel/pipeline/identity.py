"""Identity providers combined into one, selected by token prefix."""

from collections.abc import Mapping
from datetime import datetime

from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.ports import Identity
from haulier.kernel.principal import Business, Principal


class IdentityByTokenPrefix:
    """An `Identity` that delegates to others.

    Tokens without a known prefix go to the first.
    """

    def __init__(self, accounts: Identity, by_prefix: Mapping[str, Identity]) -> None:
        self._accounts = accounts
        self._by_prefix = by_prefix

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        """Return the principal behind a token. Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`."""
        kind, _, _ = token.partition("_")
        return await self._by_prefix.get(kind, self._accounts).identify(work, token, now)

    async def business(self, work: UnitOfWork, client_id: int) -> Business:
        """Return the facts about a client. Raises `NOT_FOUND` if it does not exist."""
        return await self._accounts.business(work, client_id)

    async def record_token_use(self, database: Database, now: datetime) -> int:
        """Record which tokens were used since the last call and return their number."""
        everyone = (self._accounts, *self._by_prefix.values())
        return sum([await identity.record_token_use(database, now) for identity in everyone])
