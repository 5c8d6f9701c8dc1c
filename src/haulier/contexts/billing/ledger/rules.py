"""The rules of the ledger: which accounts there are, what moves between them, and what a caller may repeat.

Amounts of entries are seen from the credit side: an account of which the business owes the balance (a wallet) grows by entries
above zero, one of what the business has (cash) by entries below zero. The entries of each transfer add up to zero.
"""

from enum import StrEnum
from hashlib import blake2b

import msgspec
from msgspec import Struct

from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.money import Money

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
AMOUNT_MAX = 10**12
BALANCE_MAX = 10**15
"""What an account holds at most, in minor units: numbers up to 2^53 are read exactly by every reader of JSON."""
SHARDS = 8
"""So many rows share the balance of an account of the business, so that postings of different customers do not wait for each
other."""
NOBODY = 0
"""The owner of an account of the business itself."""


class AccountKind(StrEnum):
    """What an account is for."""

    WALLET = "wallet"
    """What a customer has with the business; below zero what they owe within their credit limit."""
    COD_PAYABLE = "cod_payable"
    """What was taken at doors for a customer, and is theirs."""
    DRIVER_CASH = "driver_cash"
    """The cash that a driver carries."""
    REVENUE = "revenue"
    CARRIER_COSTS = "carrier_costs"
    CARRIER_PAYABLE = "carrier_payable"
    """What carriers are owed for labels."""
    CASH = "cash"
    BANK = "bank"
    ADJUSTMENTS = "adjustments"
    ONLINE = "online"
    """What the provider of online payments has taken for the business."""
    PAYMENT_CLAIMS = "payment_claims"
    """What a customer owes for online payments that went back, beyond their credit."""


LIMITED = frozenset({AccountKind.WALLET})
"""Accounts that may not fall below their floor."""
OWNED = frozenset({AccountKind.WALLET, AccountKind.COD_PAYABLE, AccountKind.DRIVER_CASH, AccountKind.PAYMENT_CLAIMS})
"""Accounts of which a customer or a driver has one each."""
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
"""Accounts of what the business has or spends: their balance is shown from the debit side."""


class TransferKind(StrEnum):
    """Why money moved."""

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
    """An online payment goes back: a refund, or a dispute."""


REFUNDABLE = frozenset({TransferKind.CHARGE, TransferKind.CAPTURE, TransferKind.CARRIER_COST})
"""What `refund` gives back. A top-up goes back by the way it came."""


class HoldStatus(StrEnum):
    """What became of a hold. It ends once."""

    HELD = "held"
    CAPTURED = "captured"
    VOIDED = "voided"
    EXPIRED = "expired"


class MoneySubject(Struct, frozen=True):
    """The record that money is about, such as `MoneySubject("label", 17, PriceFamily.LABEL_SERVICE)`.

    `kind` has at most 30 letters. The amount is hidden from a customer who may not see the prices of `family`.
    """

    kind: str
    id: int
    family: PriceFamily | None = None


class DueOrder(Struct, frozen=True, kw_only=True):
    """What is still to be paid of an order, or of anything else that has a price; nothing for what is paid or over."""

    customer_id: int
    due: Money
    family: PriceFamily | None
    """None for what has a price for everybody to see."""


class AccountKey(Struct, frozen=True):
    """An account of one currency: what it is for, and the id of the customer or driver whose it is."""

    kind: AccountKind
    owner_id: int = NOBODY
    shard: int = 0


class Posting(Struct, frozen=True, kw_only=True):
    """Money to be moved from one account to another, once for each key."""

    kind: TransferKind
    key: str
    debit: AccountKey
    """A wallet gets less by it, cash more."""
    credit: AccountKey
    money: Money
    subject: MoneySubject | None = None
    reason: str | None = None
    refund_of: int | None = None
    """The transfer that is given back, in whole or in part."""
    hold_id: int | None = None
    """The hold that ends by this."""

    @property
    def digest(self) -> bytes:
        """A digest of everything but the key: what comes again under the same key must say the same."""
        return digest_of(self, without="key")


def digest_of(body: Struct, *, without: str) -> bytes:
    """A digest of a record without one of its fields."""
    plain = {name: value for name, value in msgspec.structs.asdict(body).items() if name != without}
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
) -> Posting:
    """A posting. Of two accounts, that of the business gets the shard of the owner of the other one.

    Raises `ValueError` for an amount that is not above zero, for a transfer from an account to itself, and for an empty key.
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
    )


def require_key(key: str) -> None:
    """Raises `ValueError` for a key that cannot be stored."""
    if not 0 < len(key) <= KEY_MAX:
        raise ValueError(f"a key has 1 to {KEY_MAX} letters")


def sharded(account: AccountKey, other: AccountKey) -> AccountKey:
    """An account of the business with the shard that its transfers with another account use."""
    if account.kind in OWNED:
        return account
    return AccountKey(account.kind, account.owner_id, other.owner_id % SHARDS)


def shown_balance(kind: AccountKind, balance_minor: int) -> int:
    """A balance as people read it: from the side on which such an account grows."""
    return -balance_minor if kind in DEBIT_SIDE else balance_minor
