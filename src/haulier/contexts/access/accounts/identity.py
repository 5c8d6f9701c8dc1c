"""Who is behind a token: the answer to the kernel's `Identity` port."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from haulier.contexts.access.accounts.rules.scopes import effective
from haulier.contexts.access.accounts.rules.switches import in_force
from haulier.contexts.access.accounts.store import clients as client_store
from haulier.contexts.access.accounts.store import tokens as token_store
from haulier.kernel.data.work import Database, Work
from haulier.kernel.declarations import Account, Feature, Module, PriceFamily
from haulier.kernel.errors import INVALID_TOKEN, NOT_FOUND, TOKEN_EXPIRED
from haulier.kernel.ids import token_digest
from haulier.kernel.principal import Business, Principal

E = TypeVar("E", bound=StrEnum)
COARSE = timedelta(hours=1)
"""The last use of a token is noted no finer than this, so that reads stay reads."""


class AccountsIdentity:
    """Finds callers by their tokens, one statement each, and remembers which tokens were in use."""

    def __init__(self) -> None:
        self._in_use: set[int] = set()

    async def identify(self, work: Work, token: str, now: datetime) -> Principal:
        """The principal behind a token. Raises `INVALID_TOKEN` (unknown, revoked, user disabled) or `TOKEN_EXPIRED`."""
        row = await token_store.behind(work, token_digest(token))
        if row is None or row.revoked_at is not None or not row.active:
            raise INVALID_TOKEN()
        if row.expires_at <= now:
            raise TOKEN_EXPIRED()
        if row.last_used_at is None or now - row.last_used_at > COARSE:
            self._in_use.add(row.token_id)
        account = Account(row.account)
        return Principal(
            account,
            user_id=row.user_id,
            name=row.user_name,
            business=_business(row, row.business_id),
            scopes=effective(account, row.scopes, row.granted),
            token_id=row.token_id,
            hidden_prices=_those(PriceFamily, row.hidden_prices),
        )

    async def business(self, work: Work, client_id: int) -> Business:
        """The facts about a client. Raises `NOT_FOUND` when there is none."""
        row = await client_store.one(work, client_id)
        if row is None:
            raise NOT_FOUND()
        return _business(row, row.id)

    async def note_use(self, database: Database, now: datetime) -> int:
        """Write down which tokens were in use since the last time: for a background round. Returns how many."""
        in_use, self._in_use = self._in_use, set()
        if in_use:
            async with database.write(None) as work:
                await token_store.touch(work, sorted(in_use), now)
        return len(in_use)


def _business(row: Any, id: int) -> Business:
    return Business(
        id=id,
        code=row.code,
        time_zone=row.time_zone,
        currency=row.currency,
        modules=_those(Module, row.modules),
        features=_those(Feature, in_force(row.features, row.settings)),
    )


def _those(kind: type[E], names: list[str]) -> frozenset[E]:
    """The members that are named; a name of a later or earlier version that is no member counts for nothing."""
    return frozenset(member for member in kind if member.value in names)
