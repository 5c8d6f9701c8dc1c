"""Who calls: the bearers of the tokens of the last seconds are remembered, so that most calls need not ask the database."""

from contextlib import AsyncExitStack
from datetime import datetime

from haulier.kernel.data.remembered import Remembered
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.ports import Identity
from haulier.kernel.principal import CALLERS_CHANNEL, Principal
from haulier.kernel.values.ids import hash_token

REMEMBERED_FOR_S = 5.0
"""How long a caller whose rights were taken away may still be known to a node that the notice of it did not reach."""
# Why so short: the notice comes within milliseconds. It is lost only with the node that sends it, or while a node that hears it
# is cut off from the database, and then somebody who was shut out must not go on for long (decision 0041).
MAX_REMEMBERED = 10_000


class KnownCallers:
    """Finds callers by their tokens. Unknown and ended tokens are never remembered."""

    def __init__(self, database: Database, identity: Identity) -> None:
        self._database = database
        self._identity = identity
        self.remembered: Remembered[bytes, Principal] = Remembered(
            database, CALLERS_CHANNEL, for_s=REMEMBERED_FOR_S, at_most=MAX_REMEMBERED
        )

    async def listen(self, stack: AsyncExitStack) -> None:
        """Begin to remember, until the stack is closed: from now on news of tokens and users are heard."""
        await self.remembered.listen(stack)

    async def identify(self, token: str, now: datetime) -> Principal:
        """The principal behind a token. Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`, and what a database that is away raises."""
        digest = hash_token(token)
        known = self.remembered.get(digest)
        if known is not None and (known.token_expires_at is None or known.token_expires_at > now):
            return known
        before = self.remembered.state()
        async with self._database.read(None) as work:
            principal = await self._identity.identify(work, token, now)
        self.remembered.keep(digest, principal, str(principal.client_id), before)
        return principal
