"""The principal behind a token: implements the kernel's `Identity` port."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from haulier.contexts.identity.accounts.rules.features import active_features
from haulier.contexts.identity.accounts.rules.prices import hidden_price_families
from haulier.contexts.identity.accounts.rules.scopes import effective_scopes
from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.contexts.identity.accounts.store import tokens as token_store
from haulier.contexts.identity.accounts.store.clients import ClientRow
from haulier.contexts.identity.accounts.store.tokens import TokenBearerRow
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.enums import Account, Feature, Module
from haulier.kernel.operations.errors import INVALID_TOKEN, NOT_FOUND, TOKEN_EXPIRED
from haulier.kernel.principal import Business, Principal
from haulier.kernel.values.ids import hash_token

E = TypeVar("E", bound=StrEnum)
LAST_USE_GRANULARITY = timedelta(hours=1)
"""The last use of a token is written down at most this often."""


class AccountsIdentity:
    """Finds callers by their tokens, one statement each, and remembers which tokens were in use."""

    def __init__(self) -> None:
        self._in_use: set[int] = set()

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        """The principal behind a token. Raises `INVALID_TOKEN` (unknown, revoked, user disabled) or `TOKEN_EXPIRED`."""
        row = await token_store.get_token_bearer(work, hash_token(token))
        if row is None or row.revoked_at is not None or not row.active:
            raise INVALID_TOKEN()
        if row.expires_at <= now:
            raise TOKEN_EXPIRED()
        if row.last_used_at is None or now - row.last_used_at > LAST_USE_GRANULARITY:
            self._in_use.add(row.token_id)
        account = Account(row.account)
        return Principal(
            account,
            user_id=row.user_id,
            name=row.user_name,
            business=_to_business(row, row.business_id),
            scopes=effective_scopes(account, row.scopes, row.granted),
            token_id=row.token_id,
            token_expires_at=row.expires_at,
            hidden_prices=hidden_price_families(account, row.hidden_prices),
        )

    async def business(self, work: UnitOfWork, client_id: int) -> Business:
        """The facts about a client. Raises `NOT_FOUND` when there is none."""
        row = await client_store.get_client_row(work, client_id)
        if row is None:
            raise NOT_FOUND()
        return _to_business(row, row.id)

    async def record_token_use(self, database: Database, now: datetime) -> int:
        """Write down which tokens were in use since the last time: for a periodic task. Returns how many."""
        in_use, self._in_use = self._in_use, set()
        if in_use:
            async with database.write(None) as work:
                await token_store.set_tokens_last_used(work, sorted(in_use), now)
        return len(in_use)


def _to_business(row: ClientRow | TokenBearerRow, id: int) -> Business:
    return Business(
        id=id,
        code=row.code,
        time_zone=row.time_zone,
        currency=row.currency,
        modules=_known_members(Module, row.modules),
        features=_known_members(Feature, active_features(row.features, row.settings)),
    )


def _known_members(kind: type[E], names: list[str]) -> frozenset[E]:
    """The members with these names. Names that only another version of the platform knows are left out."""
    return frozenset(member for member in kind if member.value in names)
