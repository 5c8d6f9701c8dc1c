"""Reads of accounts for other families.

A call that enables a sign-in (a new user, a password, an email address, an invitation, an enabled account) or that adds
rights to a user grants rights. It may only grant rights that its caller has (docs/decisions/authorization.md).
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from haulier.contexts.custom_fields.public import FilterPlan, ResourceKind, list_matching_records
from haulier.contexts.identity.accounts.rules import (
    NOT_A_CUSTOMER,
    SAMPLE_DATA_SETTING,
    TokenFilter,
    TokenKind,
    active_features,
    client_language,
    effective_scopes,
    enabled_modules,
    hidden_price_families,
    is_suspended,
    is_test_business,
    permitted_scopes,
)
from haulier.contexts.identity.accounts.store import tokens as tokens_store
from haulier.contexts.identity.accounts.store import users as users_store
from haulier.contexts.identity.accounts.store.tokens import (
    StandingTokenRow,
    StandingUserRow,
    TokenBearerRow,
    TokenListRow,
    TokenRow,
    get_absent_user,
    list_standing_tokens,
    list_standing_users,
    list_token_rows,
)
from haulier.contexts.identity.accounts.store.users import ClientListRow as ClientListRow
from haulier.contexts.identity.accounts.store.users import ClientRow as ClientRow
from haulier.contexts.identity.accounts.store.users import CustomerRow as CustomerRow
from haulier.contexts.identity.accounts.store.users import MemberRow as MemberRow
from haulier.contexts.identity.accounts.store.users import UserFactsRow as UserFactsRow
from haulier.contexts.identity.accounts.store.users import UserListRow as UserListRow
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.contexts.identity.accounts.store.users import UserWithClientRow as UserWithClientRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.enums import Account, Feature, Module, Scope
from haulier.kernel.operations.errors import (
    INVALID_REQUEST,
    INVALID_TOKEN,
    NOT_FOUND,
    TOKEN_EXPIRED,
    FieldError,
    record_not_found,
)
from haulier.kernel.pipeline.reach import NOTHING, CallerReach, reach_of, require_within_reach
from haulier.kernel.principal import Business, Principal
from haulier.kernel.values.ids import hash_token

SetUpBy = tuple[int, int | None]
"""A user, and the API token used; no token for a session."""


async def list_standing_principals(
    work: UnitOfWork, business: Business, who: Collection[SetUpBy], now: datetime
) -> dict[SetUpBy, Principal]:
    """Return principals of working users and tokens as they would call now.

    Left out are disabled users, and tokens that were revoked or have expired. Two statements, whatever the number.
    """
    if not who:
        return {}
    users = {row.id: row for row in await list_standing_users(work, {user_id for user_id, _ in who})}
    token_ids = {token_id for _, token_id in who if token_id is not None}
    tokens = {row.id: row for row in await list_standing_tokens(work, token_ids, now)} if token_ids else {}
    standing: dict[SetUpBy, Principal] = {}
    for user_id, token_id in who:
        user, token = users.get(user_id), tokens.get(token_id or 0)
        if user and (token_id is None or (token and token.user_id == user_id)):
            standing[user_id, token_id] = _standing_principal(business, user, token)
    return standing


def _standing_principal(business: Business, user: StandingUserRow, token: StandingTokenRow | None) -> Principal:
    account = Account(user.account)
    return Principal(
        account,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective_scopes(account, token and token.scopes, user.granted),
        token_id=token and token.id,
        token_expires_at=token and token.expires_at,
        hidden_prices=hidden_price_families(account, user.hidden_prices),
    )


async def get_absent_principal(
    work: UnitOfWork, business: Business, user_id: int, token_id: int | None, scopes: Collection[Scope]
) -> Principal | None:
    """Return the current principal of a user, limited to some scopes, or None.

    None for a disabled user, and if the API token once used was revoked. A session may have ended.
    """
    user = await get_absent_user(work, user_id, token_id)
    if user is None or not user.active or (user.kind == TokenKind.API and user.revoked_at is not None):
        return None
    account = Account(user.account)
    return Principal(
        account,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective_scopes(account, scopes, user.granted),
        token_id=token_id,
        hidden_prices=hidden_price_families(account, user.hidden_prices),
    )


async def require_client(work: UnitOfWork, client_id: int, *, lock: bool = False) -> ClientRow:
    """Return a client. Raises `NOT_FOUND`."""
    client = await users_store.get_client_row(work, client_id, lock=lock)
    if client is None:
        raise NOT_FOUND()
    return client


async def find_business_names(work: UnitOfWork, client_id: int) -> tuple[str, str]:
    """Return a client's name and code. Raises `NOT_FOUND`."""
    client = await require_client(work, client_id)
    return client.name, client.code


async def find_client_id(work: UnitOfWork, code: str) -> int | None:
    """Return the id of the client with a code, or None."""
    return await users_store.get_client_id(work, code)


async def find_all_client_ids(work: UnitOfWork) -> list[int]:
    """Return the ids of all clients."""
    return await users_store.list_client_ids(work)


async def list_all_clients(work: UnitOfWork) -> Sequence[ClientListRow]:
    """Return all clients by code, for operators."""
    return await users_store.list_client_rows(work)


async def find_all_client_codes(work: UnitOfWork) -> set[str]:
    """Return the codes of all clients."""
    return await users_store.list_all_client_codes(work)


async def find_client_countries(work: UnitOfWork) -> frozenset[str]:
    """Return the countries of all clients, for operators."""
    return await users_store.list_client_countries(work)


async def find_failed_sign_ins(work: UnitOfWork, digests: Collection[str]) -> dict[str, tuple[int, datetime]]:
    """Return failures in a row and the time of the last, by digest.

    Digests without failures are left out.
    """
    return await tokens_store.get_failed_sign_ins(work, digests)


E = TypeVar("E", bound=StrEnum)
LAST_USE_GRANULARITY = timedelta(hours=1)
"""Minimum interval between updates of a token's last use."""


class AccountsIdentity:
    """Identification of callers by token, one statement each, with use tracking."""

    def __init__(self) -> None:
        self._in_use: set[int] = set()

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        """Return the principal of a token.

        Raises `INVALID_TOKEN` (unknown, revoked, user disabled) or `TOKEN_EXPIRED`.
        """
        row = await tokens_store.get_token_bearer(work, hash_token(token))
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
        """Return the facts about a client. Raises `NOT_FOUND`."""
        row = await users_store.get_client_row(work, client_id)
        if row is None:
            raise NOT_FOUND()
        return _to_business(row, row.id)

    async def record_token_use(self, database: Database, now: datetime) -> int:
        """Record the tokens used since the last call. Return their number.

        For a periodic task.
        """
        in_use, self._in_use = self._in_use, set()
        if in_use:
            async with database.write(None) as work:
                await tokens_store.set_tokens_last_used(work, sorted(in_use), now)
        return len(in_use)


def _to_business(row: ClientRow | TokenBearerRow, id: int) -> Business:
    return Business(
        id=id,
        code=row.code,
        time_zone=row.time_zone,
        currency=row.currency,
        country=row.country,
        modules=_known_members(Module, enabled_modules(row.modules, row.settings)),
        features=_known_members(Feature, active_features(row.features, row.settings)),
        suspended=is_suspended(row.settings),
        test=is_test_business(row.settings),
        has_sample_data=SAMPLE_DATA_SETTING in row.settings,
    )


def _known_members(kind: type[E], names: list[str]) -> frozenset[E]:
    """Return the enum members with these names; unknown names are ignored.

    Another version of the platform may have written them.
    """
    return frozenset(member for member in kind if member.value in names)


async def get_user_language(work: UnitOfWork, user_id: int, client: ClientRow) -> str:
    """Return a user's language, else the business's, else English."""
    member = await users_store.get_member(work, user_id)
    return (member and member.language) or client_language(client.settings)


async def find_member(work: UnitOfWork, user_id: int) -> MemberRow | None:
    """Return the member data of a user, or None."""
    return await users_store.get_member(work, user_id)


async def find_granted_scopes(work: UnitOfWork, user_id: int) -> list[str] | None:
    """Return the scopes that an admin granted to a user; None if unlimited."""
    member = await users_store.get_member(work, user_id)
    return member and member.scopes


def reach_of_account(call: Call, account: Account, granted: Iterable[str] | None = None) -> CallerReach:
    """Return the rights of a signed-in user with an account limited to `granted`."""
    return reach_of(call.app.registry, account, permitted_scopes(account, granted))


def require_account_grantable(
    call: Call, account: Account, granted: Iterable[str] | None = None, *, before: CallerReach = NOTHING
) -> None:
    """Require that the caller may grant the rights that a user gains.

    `before` are their earlier rights. Raises `SCOPES_EXCEEDED`, or `ACCOUNT_NOT_ALLOWED` for rights of another kind of
    account.
    """
    require_within_reach(call.app.registry, call.principal, reach_of_account(call, account, granted), before)


async def require_user_grantable(call: Call, user: UserRow) -> None:
    """Require that the caller may enable a user's sign-in. Raises `SCOPES_EXCEEDED`."""
    require_account_grantable(call, Account(user.account), await find_granted_scopes(call.work, user.id))


async def find_token(work: UnitOfWork, token_id: int) -> TokenRow | None:
    """Return a token of the client with the account of its bearer, or None."""
    return await tokens_store.get_token(work, token_id)


async def find_tokens(
    work: UnitOfWork, token_filter: TokenFilter, now: datetime, *, limit: int, offset: int
) -> tuple[Sequence[TokenListRow], int]:
    """Return a page of the client's tokens, newest first, and how many match in all."""
    return await list_token_rows(work, token_filter, now, limit=limit, offset=offset)


async def find_user(work: UnitOfWork, user_id: int) -> UserRow | None:
    """Return a user of the client, disabled or not, or None."""
    return await users_store.get_user_row(work, user_id)


async def require_user(work: UnitOfWork, user_id: int, *, lock: bool = False) -> UserRow:
    """Return a user of the client. Raises `NOT_FOUND`."""
    user = await users_store.get_user_row(work, user_id, lock=lock)
    if user is None:
        raise record_not_found(user_id=user_id)
    return user


async def require_customer(work: UnitOfWork, user_id: int, *, lock: bool = False) -> UserRow:
    """Return a customer of the client.

    Raises `NOT_FOUND`, or `NOT_A_CUSTOMER` for a user of another kind.
    """
    user = await require_user(work, user_id, lock=lock)
    if user.account != Account.CUSTOMER:
        raise NOT_A_CUSTOMER(user_id=user.id)
    return user


async def find_user_by_email(work: UnitOfWork, email: str) -> UserWithClientRow | None:
    """Return the user of any client with a lower-case email address, or None."""
    return await users_store.get_user_by_email(work, email)


async def find_users(work: UnitOfWork, ids: Collection[int]) -> Sequence[UserFactsRow]:
    """Return the users of the client among some ids, in one statement."""
    return await users_store.list_users_by_id(work, ids)


async def find_active_users(work: UnitOfWork, account: Account, *, limit: int) -> Sequence[UserListRow]:
    """Return the active users of the client with an account of a kind, by name."""
    rows, _ = await users_store.list_user_rows(
        work, account=account.value, active=True, text=None, limit=limit, offset=0
    )
    return rows


MAX_MEANT = 50
"""Maximum number of customers that a text filter of another list can match."""


async def find_customers(
    call: Call, text: str | None, *, limit: int, offset: int = 0, by_fields: FilterPlan | None = None
) -> tuple[int, Sequence[CustomerRow]]:
    """Return the number of matching customers, and a page of them by name."""
    # Separate: users are found before their client is known, so a distributed database stores them apart from keys.
    among = await list_matching_records(call, ResourceKind.CUSTOMER, by_fields) if by_fields else None
    return await users_store.list_customer_rows(call.work, text, limit=limit, offset=offset, among=among)


async def list_customers_after(
    call: Call, text: str | None, *, after: int, limit: int, by_fields: FilterPlan | None = None
) -> Sequence[CustomerRow]:
    """Return matching customers with ids above one, by id."""
    among = await list_matching_records(call, ResourceKind.CUSTOMER, by_fields) if by_fields else None
    return await users_store.list_customer_rows_after(call.work, text, after=after, limit=limit, among=among)


async def require_customer_ids(call: Call, text: str) -> list[int]:
    """Return the ids of the customers that a filter `customer` matches.

    Raises `NOT_FOUND` if it matches none, so that an empty result is not misread; `INVALID_REQUEST` if it matches too
    many.
    """
    total, rows = await find_customers(call, text, limit=MAX_MEANT)
    if not rows:
        raise record_not_found(customer=text)
    if total > MAX_MEANT:
        raise INVALID_REQUEST.for_fields(FieldError("customer", "field.too_many_customers", {"count": total}))
    return [row.id for row in rows]


def is_customer(call: Call) -> bool:
    """Return True if the caller is a customer, limited to their own records."""
    return call.principal.account is Account.CUSTOMER


async def resolve_customer(call: Call, customer_id: int | None) -> int:
    """Return the customer of a call: the caller, or the one that staff name.

    Raises `INVALID_REQUEST` if a customer names another or staff name none, `NOT_FOUND` and `NOT_A_CUSTOMER`.
    """
    if is_customer(call):
        if customer_id not in (None, call.actor):
            raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.customer_not_yours"))
        return call.actor or 0
    if customer_id is None:
        raise INVALID_REQUEST.for_fields(FieldError("customer_id", "field.missing"))
    return (await require_customer(call.work, customer_id)).id
