"""The caller, and the facts about them that every handler needs."""

from datetime import datetime

from msgspec import Struct

from haulier.kernel.operations.enums import ALL_SCOPES, OFFICE, Account, Feature, Module, PriceFamily, Scope

CALLERS_CHANNEL = "callers"
"""The channel of notices that say whose callers may have changed: their tokens, their rights, or facts about their client."""


class Business(Struct, frozen=True):
    """The client on whose behalf a call runs: the facts that every step may need."""

    id: int
    code: str
    time_zone: str
    currency: str
    modules: frozenset[Module] = frozenset()
    features: frozenset[Feature] = frozenset()


class ProviderGrant(Struct, frozen=True):
    """The rights of a provider's key: the names it may report under, and how often it may call."""

    source_type: str
    carriers: frozenset[str]
    """The names it may speak in; empty for any."""
    per_minute: int
    signature_scheme: str | None = None
    """How each push must be signed besides; None where the key alone says who calls."""


class Principal(Struct, frozen=True):
    """An authenticated caller, or nobody."""

    account: Account
    user_id: int | None = None
    name: str | None = None
    business: Business | None = None
    scopes: frozenset[Scope] = frozenset()
    withheld: frozenset[Scope] = frozenset()
    """Scopes that the token has and the connection gives up, by the header in `narrowed_by`."""
    narrowed_by: str | None = None
    token_id: int | None = None
    token_expires_at: datetime | None = None
    hidden_prices: frozenset[PriceFamily] = frozenset()
    provider_grant: ProviderGrant | None = None
    """Of a caller with a provider's key; `name` is then the key's, and `token_id` counts among such keys."""

    @property
    def client_id(self) -> int | None:
        """The tenant, or None for a caller without one."""
        return self.business.id if self.business else None

    def hides(self, family: PriceFamily) -> bool:
        """Whether the prices of a family are hidden from them: a list must then not be in the order of its prices."""
        return family in self.hidden_prices

    @property
    def sees_records(self) -> bool:
        """Whether they may look at whole records, as they lie in the database: office staff without hidden prices."""
        return self.account in OFFICE and not self.hidden_prices


ANONYMOUS = Principal(Account.PUBLIC)
"""A caller without a token."""


def system_principal(business: Business | None) -> Principal:
    """The principal under which jobs run: every right inside one client, no user."""
    return Principal(Account.CLIENT_ADMIN, name="system", business=business, scopes=ALL_SCOPES)
