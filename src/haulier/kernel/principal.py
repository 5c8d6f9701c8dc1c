"""The caller and the business that a call runs for."""

from datetime import datetime

from msgspec import Struct

from haulier.kernel.operations.enums import ALL_SCOPES, OFFICE, Account, Feature, Module, PriceFamily, Scope

CALLERS_CHANNEL = "callers"
"""Channel for notices about clients whose tokens, rights or settings may have changed."""


class Business(Struct, frozen=True):
    """The client on whose behalf a call runs."""

    id: int
    code: str
    time_zone: str
    currency: str
    country: str | None = None
    modules: frozenset[Module] = frozenset()
    features: frozenset[Feature] = frozenset()
    suspended: bool = False
    """True if the operator suspended the client: its users may call nothing."""
    test: bool = False
    """True for the test business of another client. Its calls use simulated services (`Application.of_business`)."""
    has_sample_data: bool = False
    """True for a test business whose records are sample data."""


class ProviderGrant(Struct, frozen=True):
    """Rights of a provider's key: the names it may report under and its rate limit."""

    source_type: str
    carriers: frozenset[str]
    """Carrier names it may report under; empty for any."""
    per_minute: int
    signature_scheme: str | None = None
    """Signature scheme required for each push, in addition to the key; None if the key is enough."""


class Principal(Struct, frozen=True):
    """An authenticated or anonymous caller."""

    account: Account
    user_id: int | None = None
    name: str | None = None
    business: Business | None = None
    scopes: frozenset[Scope] = frozenset()
    withheld: frozenset[Scope] = frozenset()
    """Scopes of the token that the connection gives up, by the header in `narrowed_by`."""
    narrowed_by: str | None = None
    token_id: int | None = None
    token_expires_at: datetime | None = None
    hidden_prices: frozenset[PriceFamily] = frozenset()
    provider_grant: ProviderGrant | None = None
    """Set for a caller with a provider's key; `name` and `token_id` then refer to that key."""

    @property
    def client_id(self) -> int | None:
        """The tenant, or None for a caller without one."""
        return self.business.id if self.business else None

    def hides(self, family: PriceFamily) -> bool:
        """Return True if prices of a family are hidden from the caller.

        Lists must then not be sorted by them.
        """
        return family in self.hidden_prices

    @property
    def sees_records(self) -> bool:
        """True if the caller may see whole records (office staff, no hidden prices)."""
        return self.account in OFFICE and not self.hidden_prices


ANONYMOUS = Principal(Account.PUBLIC)
"""A caller without a token."""


def system_principal(business: Business | None) -> Principal:
    """Return the principal for jobs: all scopes within one client, no user."""
    return Principal(Account.CLIENT_ADMIN, name="system", business=business, scopes=ALL_SCOPES)
