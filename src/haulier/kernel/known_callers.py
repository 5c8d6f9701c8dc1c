"""Cache of recently identified callers, which saves database lookups."""

from contextlib import AsyncExitStack
from datetime import datetime

from haulier.kernel.data.notified_cache import ClientCache, NotifiedCache
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.errors import NOT_FOUND, OperationError
from haulier.kernel.ports import Identity
from haulier.kernel.principal import CALLERS_CHANNEL, Principal
from haulier.kernel.values.ids import hash_token

REMEMBERED_FOR_S = 5.0
"""Maximum time a revoked token is still accepted by a node that missed the notice.

Notices arrive within milliseconds. One is lost only if its sender dies or its receiver is cut off from the database
(docs/decisions/performance.md).
"""
MAX_REMEMBERED = 10_000


class KnownCallers:
    """Finds callers by token. Unknown and expired tokens are never cached."""

    def __init__(self, database: Database, identity: Identity) -> None:
        self._database = database
        self._identity = identity
        self.cache: NotifiedCache[bytes, Principal] = NotifiedCache(
            database, CALLERS_CHANNEL, for_s=REMEMBERED_FOR_S, at_most=MAX_REMEMBERED
        )

    async def listen(self, stack: AsyncExitStack) -> None:
        """Start caching and listen for invalidations until the stack is closed."""
        await self.cache.listen(stack)

    async def identify(self, token: str, now: datetime) -> Principal:
        """Return the principal behind a token.

        Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`, and any error of an unavailable database.
        """
        digest = hash_token(token)
        known = self.cache.get(digest)
        if known is not None and (known.token_expires_at is None or known.token_expires_at > now):
            return known
        before = self.cache.state()
        async with self._database.read(None) as work:
            principal = await self._identity.identify(work, token, now)
        self.cache.keep(digest, principal, str(principal.client_id), before)
        return principal


class KnownTestBusinesses(ClientCache[bool]):
    """Cache of the clients that are test businesses, for background work."""

    channel = CALLERS_CHANNEL

    def __init__(self, database: Database, identity: Identity) -> None:
        super().__init__(database)
        self._database, self._identity = database, identity

    async def includes(self, client_id: int) -> bool:
        """Return True for a test business. False for an unknown client."""
        if known := self.find(client_id):
            return known[0]
        async with self._database.read(client_id) as work:
            return await self.of(work)

    async def read(self, work: UnitOfWork) -> bool:
        """Read the client."""
        try:
            return (await self._identity.business(work, work.client_id or 0)).test
        except OperationError as error:
            if error.error_type is NOT_FOUND:
                return False
            raise
