"""Carrier accounts: who may be shipped with, and what the client adds to a carrier's price."""

from msgspec import Struct

from haulier.contexts.shipping.ports import CarrierKind
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error
from haulier.kernel.values.money import Money

CARRIER_ACCOUNT_IN_USE = declare_error("carrier_account_in_use", 409)
CARRIER_ACCOUNT_NAME_TAKEN = declare_error("carrier_account_name_taken", 409)
CARRIER_SECRETS_NOT_KEPT = declare_error("carrier_secrets_not_kept", 409)

HOUSE = "HOUSE"
"""The kind of a carrier of the client's own, which is asked without a network."""
TARIFF = "tariff"
"""The credential in which the house carrier gets its tariff."""
CURRENCY = "currency"
"""The credential in which the house carrier gets the client's currency."""
MAX_ACCOUNTS = 50
FULL_BASIS_POINTS = 10_000


class MarkUp(Struct, frozen=True):
    """What a client adds to what a carrier asks: a share, in hundredths of a percent, and an amount in minor units."""

    basis_points: int = 0
    minor: int = 0

    def apply(self, cost: Money) -> Money:
        """The price of something that costs so much; never below zero, halves rounded up."""
        share = (cost.minor * self.basis_points + FULL_BASIS_POINTS // 2) // FULL_BASIS_POINTS
        return Money(max(0, cost.minor + share + self.minor), cost.currency)


def secret_label(client_id: int, carrier: str) -> str:
    """What the credentials of an account are bound to: they open for no other client and no other carrier."""
    return f"carrier {carrier} of client {client_id}"


def require_credentials(kind: CarrierKind, given: dict[str, str]) -> None:
    """Check that an account has what its carrier needs, and nothing else. Raises `INVALID_REQUEST`."""
    named = {field.name for field in kind.credentials}
    faults = [FieldError(f"credentials.{name}", "field.extra_forbidden") for name in given.keys() - named]
    faults += [
        FieldError(f"credentials.{field.name}", "field.missing")
        for field in kind.credentials
        if field.required and not given.get(field.name)
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)
