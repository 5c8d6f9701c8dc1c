"""The principal behind a provider's key."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from haulier.contexts.tracking.ports import KeyIssuers
from haulier.contexts.tracking.providers import store
from haulier.contexts.tracking.providers.store import ProviderKeyRow
from haulier.kernel.application import Application
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import INVALID_TOKEN, declare_error, record_not_found
from haulier.kernel.pipeline.reach import SetUpLapse
from haulier.kernel.ports import Identity
from haulier.kernel.principal import Business, Principal, ProviderGrant
from haulier.kernel.secrets import SecretVault
from haulier.kernel.values.ids import hash_token

PROVIDER_KEY_PREFIX = "hlprovider"
"""How every key begins. Tokens with another beginning are not looked up here."""

ISSUERS = frozenset({Account.CLIENT_ADMIN})
ISSUING_SCOPES = frozenset({Scope.ACCOUNT_WRITE, Scope.TRACKING_WRITE})
"""Accounts and scopes that may answer for a key."""

LAST_USE_GRAIN = timedelta(hours=1)
"""The last use of a key is written at most once in this time."""

PROVIDER_SCOPES = frozenset({Scope.TRACKING_WRITE})
"""A key can push events, and read which of them were refused; it cannot even read the timelines that it wrote."""


PROVIDER_KEY_NEEDED = declare_error("provider_key_needed", 403)


def require_provider_grant(principal: Principal) -> ProviderGrant:
    """Return the rights of the caller's provider key. Raises `PROVIDER_KEY_NEEDED`."""
    if principal.provider_grant is None:
        raise PROVIDER_KEY_NEEDED()
    return principal.provider_grant


def signing_secret_label(client_id: int, key_id: int) -> str:
    """Return the label that binds a secret to a client and a key."""
    return f"pushes of provider {key_id} of client {client_id}"


async def get_signing_secret(app: Application, principal: Principal) -> str | None:
    """Return the verification secret of the calling provider, or None.

    Raises `SecretUnreadable`.
    """
    client_id, key_id = principal.client_id, principal.token_id
    if client_id is None or key_id is None:
        return None
    async with app.database.read(client_id) as work:
        row = await ProviderKeyRow.get(work, key_id)
    if row is None or row.sealed_signing_key is None:
        return None
    return app.adapter(SecretVault).open(row.sealed_signing_key, signing_secret_label(client_id, key_id))


async def get_provider_rights(work: UnitOfWork, key_id: int) -> tuple[str, ProviderGrant]:
    """Return the name and rights of a key of this client, revoked or not.

    Raises `NOT_FOUND`.
    """
    row = await ProviderKeyRow.get(work, key_id)
    if row is None:
        raise record_not_found(provider_id=key_id)
    return row.name, _grant(row)


def _grant(row: store.ProviderKeyRow) -> ProviderGrant:
    return ProviderGrant(row.source_type, frozenset(row.carriers), row.per_minute, row.signature_scheme)


async def find_key_lapses(
    issuers: KeyIssuers, work: UnitOfWork, business: Business, rows: Sequence[store.ProviderKeyRow], now: datetime
) -> dict[int, SetUpLapse]:
    """Return by key why its issuer could not issue it now.

    Uses two statements at most; a key of the business never lapses.
    """
    who = {row.id: (row.set_up_by, row.set_up_with) for row in rows if row.set_up_by is not None}
    standing = await issuers.list_standing(work, business, set(who.values()), now)
    lapses = {id: find_issuer_lapse(standing.get(each)) for id, each in who.items()}
    return {id: lapse for id, lapse in lapses.items() if lapse}


def find_issuer_lapse(issuer: Principal | None) -> SetUpLapse | None:
    """Return why a user or token could not issue a key now. None: they can."""
    if issuer is None:
        return SetUpLapse.SET_UP_ENDED
    return None if issuer.account in ISSUERS and issuer.scopes >= ISSUING_SCOPES else SetUpLapse.NOT_PERMITTED


class ProviderIdentity:
    """Cached identification of providers by key, with use tracking."""

    def __init__(self, accounts: Identity, issuers: KeyIssuers) -> None:
        """Create it. `accounts` reads client data, `issuers` the responsible users."""
        self._accounts, self._issuers = accounts, issuers
        self._in_use: set[int] = set()

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        """Return the principal behind a key.

        Raises `INVALID_TOKEN` for a key that is unknown, revoked or suspended, or whose issuer lost the right to issue it.
        """
        row = await store.find_provider_key_by_digest(work, hash_token(token))
        if row is None:
            raise INVALID_TOKEN()
        business = await self.business(work, row.client_id)
        expires_at = await self._require_issuer(work, business, row, now)
        if row.last_used_at is None or now - row.last_used_at > LAST_USE_GRAIN:
            self._in_use.add(row.id)
        return Principal(
            Account.PROVIDER,
            name=row.name,
            business=business,
            scopes=PROVIDER_SCOPES,
            token_id=row.id,
            token_expires_at=expires_at,
            provider_grant=_grant(row),
        )

    async def _require_issuer(
        self, work: UnitOfWork, business: Business, row: store.ProviderKeyRow, now: datetime
    ) -> datetime | None:
        """Return the time until which the issuer is responsible. Raises `INVALID_TOKEN`."""
        if row.set_up_by is None:
            return None
        who = row.set_up_by, row.set_up_with
        of_client = work.for_tenant(row.client_id, "the key says whose it is")
        issuer = (await self._issuers.list_standing(of_client, business, {who}, now)).get(who)
        if issuer is None or find_issuer_lapse(issuer):
            raise INVALID_TOKEN()
        return issuer.token_expires_at

    async def business(self, work: UnitOfWork, client_id: int) -> Business:
        """Return the data of a client."""
        return await self._accounts.business(work, client_id)

    async def record_token_use(self, database: Database, now: datetime) -> int:
        """Record the keys used since the last call. Return their number."""
        in_use, self._in_use = self._in_use, set()
        if in_use:
            async with database.write(None) as work:
                await store.touch_provider_keys(work, sorted(in_use), now)
        return len(in_use)
