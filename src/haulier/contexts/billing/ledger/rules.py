"""Rules of the ledger: accounts, transfers between them, and repeated calls.

Amounts of entries are seen from the credit side. An account that the business owes (a wallet) grows by positive
entries, one that it has (cash) by negative entries. The entries of each transfer add up to zero.
"""

from collections.abc import Collection, Mapping
from datetime import date
from enum import StrEnum
from hashlib import blake2b

import msgspec
from msgspec import Struct

from haulier.contexts.billing.taxes.rules import Exemption, ProductClass, TaxPlace
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import Tax

CREDIT_INSUFFICIENT = declare_error("credit_insufficient", 409)
LEDGER_KEY_REUSED = declare_error("ledger_key_reused", 409)
HOLD_ENDED = declare_error("hold_ended", 409)
HOLD_TOO_SMALL = declare_error("hold_too_small", 409)
REFUND_TOO_MUCH = declare_error("refund_too_much", 409)
CREDIT_IN_USE = declare_error("credit_in_use", 409)
BALANCE_OUT_OF_RANGE = declare_error("balance_out_of_range", 409)

KEY_MAX = 120
REFERENCE_MAX = 80
SUBJECT_KIND_MAX = 30
ITEM_MAX = 120
CHARGED_REFERENCE_MAX = 120
RECIPIENT_MAX = 200
AMOUNT_MAX = 10**12
BALANCE_MAX = 10**15
"""Maximum balance in minor units. JSON readers represent integers up to 2^53 exactly."""
SHARDS = 8
"""Number of rows that share the balance of a business account, so that postings of different customers do not wait for
each other."""
NOBODY = 0
"""Owner of the business's own accounts."""


class AccountKind(StrEnum):
    """Kind of account."""

    WALLET = "wallet"
    """Customer's credit. Negative for debt within the credit limit."""
    COD_PAYABLE = "cod_payable"
    """Cash on delivery collected for a customer."""
    DRIVER_CASH = "driver_cash"
    """Cash carried by a driver."""
    REVENUE = "revenue"
    CARRIER_COSTS = "carrier_costs"
    CARRIER_PAYABLE = "carrier_payable"
    """Amounts owed to carriers for labels."""
    CASH = "cash"
    BANK = "bank"
    ADJUSTMENTS = "adjustments"
    ONLINE = "online"
    """Money that the payment provider has collected for the business."""
    PAYMENT_CLAIMS = "payment_claims"
    """Customer's debt for returned online payments beyond their credit."""


LIMITED = frozenset({AccountKind.WALLET})
"""Kinds of accounts with a minimum balance."""
OWNED = frozenset({AccountKind.WALLET, AccountKind.COD_PAYABLE, AccountKind.DRIVER_CASH, AccountKind.PAYMENT_CLAIMS})
"""Kinds of accounts that belong to one customer or driver."""
DEBIT_SIDE = frozenset(
    {
        AccountKind.DRIVER_CASH,
        AccountKind.CARRIER_COSTS,
        AccountKind.CASH,
        AccountKind.BANK,
        AccountKind.ONLINE,
        AccountKind.PAYMENT_CLAIMS,
    }
)
"""Kinds of accounts for assets and expenses, whose balance is shown from the debit side."""


class TransferKind(StrEnum):
    """Kind of transfer."""

    TOP_UP = "top_up"
    CHARGE = "charge"
    CAPTURE = "capture"
    REFUND = "refund"
    ADJUSTMENT = "adjustment"
    CARRIER_COST = "carrier_cost"
    COD_COLLECTED = "cod_collected"
    COD_HANDED_IN = "cod_handed_in"
    COD_DIFFERENCE = "cod_difference"
    ONLINE_RETURN = "online_return"
    """Returned online payment: a refund or a dispute."""
    PAYMENT_REVERSAL = "payment_reversal"
    """Reversed payment by bank transfer or in cash."""


REFUNDABLE = frozenset({TransferKind.CHARGE, TransferKind.CAPTURE, TransferKind.CARRIER_COST})
"""Kinds of transfers that `refund` reverses. A top-up is returned by its original payment method."""


CREDITED_SUBJECT = "invoice"
"""Kind of subject of the adjustments that credit notes post."""
LATER_CHARGED = ("order", "freight_shipment")
"""Kinds of subjects that are charged after the service was rendered, also beyond the credit limit."""


class HoldStatus(StrEnum):
    """Status of a hold. A hold ends once."""

    HELD = "held"
    CAPTURED = "captured"
    VOIDED = "voided"
    EXPIRED = "expired"


class MoneySubject(Struct, frozen=True):
    """Record that money is about.

    Example: `MoneySubject("label", 17, PriceFamily.LABEL_SERVICE)`. `kind` has at most 30 characters. The amount is
    hidden from customers who may not see the prices of `family`.
    """

    kind: str
    id: int
    family: PriceFamily | None = None


class ChargeDetails(Struct, frozen=True, kw_only=True):
    """Description of a charge for invoices."""

    taxes: tuple[Tax, ...] | None = None
    """Taxes within the amount. Empty if it is not taxed, None for the tax rates of the business."""
    product_class: ProductClass = ProductClass.SERVICE
    place: TaxPlace | None = None
    """Jurisdiction whose tax rates apply. By default that of the business."""
    exemption: Exemption | None = None
    item: str | None = None
    """Service, as the customer knows it."""
    reference: str | None = None
    """Customer's reference of the record."""
    recipient: str | None = None
    serviced_on: date | None = None
    """Day of the service."""


def line_values(transfer_id: int, line: ChargeDetails) -> Mapping[str, object]:
    """Return the columns of the stored line of a transfer."""
    return {
        "transfer_id": transfer_id,
        "item": line.item and line.item[:ITEM_MAX],
        "reference": line.reference and line.reference[:CHARGED_REFERENCE_MAX],
        "recipient": line.recipient and line.recipient[:RECIPIENT_MAX],
        "serviced_on": line.serviced_on,
        "taxes": msgspec.to_builtins(line.taxes),
        "exemption_kind": line.exemption and line.exemption.kind.value,
        "exemption_number": line.exemption and line.exemption.number,
    }


class DueOrder(Struct, frozen=True, kw_only=True):
    """Remaining amount of an order or other priced record; zero if paid in full."""

    customer_id: int
    due: Money
    family: PriceFamily | None
    """Price family. None if the price is visible to everyone."""


class AccountKey(Struct, frozen=True):
    """Account of one currency: its kind and the id of its customer or driver."""

    kind: AccountKind
    owner_id: int = NOBODY
    shard: int = 0


class Posting(Struct, frozen=True, kw_only=True):
    """Money to move from one account to another, once per key."""

    kind: TransferKind
    key: str
    debit: AccountKey
    """Debited account. A debit decreases a wallet and increases cash."""
    credit: AccountKey
    money: Money
    subject: MoneySubject | None = None
    reason: str | None = None
    refund_of: int | None = None
    """Transfer that is refunded in whole or in part."""
    hold_id: int | None = None
    """Hold that this transfer ends."""
    price: Money | None = None
    """Price without the taxes that were added to it."""

    @property
    def digest(self) -> bytes:
        """Return a digest of everything but the key, to compare repeated calls.

        A price counts without the taxes added to it, which may have changed.
        """
        priced = msgspec.structs.replace(self, money=self.price or self.money)
        return digest_of(priced, without=("key", "price"))


def digest_of(body: Struct, *, without: Collection[str]) -> bytes:
    """Return a digest of a record without some of its fields."""
    plain = {name: value for name, value in msgspec.structs.asdict(body).items() if name not in without}
    return blake2b(msgspec.json.encode(plain, order="sorted"), digest_size=16).digest()


def make_posting(
    kind: TransferKind,
    key: str,
    debit: AccountKey,
    credit: AccountKey,
    money: Money,
    *,
    subject: MoneySubject | None = None,
    reason: str | None = None,
    refund_of: int | None = None,
    hold_id: int | None = None,
    price: Money | None = None,
) -> Posting:
    """Build a posting.

    A business account gets the shard of the other account's owner. Raises `ValueError` for an amount of zero or
    less, for a transfer from an account to itself, and for an empty key.
    """
    if not 0 < money.minor <= AMOUNT_MAX:
        raise ValueError(f"{money} cannot be moved")
    if (debit.kind, debit.owner_id) == (credit.kind, credit.owner_id):
        raise ValueError("a transfer needs two accounts")
    require_key(key)
    return Posting(
        kind=kind,
        key=key,
        debit=sharded(debit, credit),
        credit=sharded(credit, debit),
        money=money,
        subject=subject,
        reason=reason,
        refund_of=refund_of,
        hold_id=hold_id,
        price=price,
    )


def require_key(key: str) -> None:
    """Raise `ValueError` for a key that cannot be stored."""
    if not 0 < len(key) <= KEY_MAX:
        raise ValueError(f"a key has 1 to {KEY_MAX} letters")


def sharded(account: AccountKey, other: AccountKey) -> AccountKey:
    """Return a business account with the shard for transfers with another account."""
    if account.kind in OWNED:
        return account
    return AccountKey(account.kind, account.owner_id, other.owner_id % SHARDS)


def shown_balance(kind: AccountKind, balance_minor: int) -> int:
    """Return a balance for display, from the side on which the account grows."""
    return -balance_minor if kind in DEBIT_SIDE else balance_minor
