"""Tables of the ledger.

Transfers and entries are only inserted. The refunded sum of a transfer is the only value that changes.
"""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, LargeBinary, SmallInteger, String, UniqueConstraint

from haulier.contexts.billing.ledger.rules import KEY_MAX, SUBJECT_KIND_MAX, MoneySubject
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, append_only_table, tenant_table
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import REASON_MAX

accounts = tenant_table(
    "ledger_account",
    Column("kind", String(20), nullable=False),
    Column("owner_id", Id, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("shard", SmallInteger, nullable=False),
    Column("balance_minor", BigInteger, nullable=False),
    Column("held_minor", BigInteger, nullable=False),
    Column("floor_minor", BigInteger),
    Column("seq", BigInteger, nullable=False),
    Column("booked_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "kind", "owner_id", "currency", "shard"),
    CheckConstraint("balance_minor - held_minor >= floor_minor", name="floor"),
    CheckConstraint("held_minor >= 0", name="held"),
)
"""`owner_id` is a customer, or a driver for `driver_cash`; 0 for an account of the business, which has several shards.

`held_minor` of the balance is reserved by holds. The rest may not fall below `floor_minor`: minus the credit limit
of a wallet, null for an account without limits. `seq` is the number of the newest entry, and `booked_at` its time."""
plain_columns(accounts, "kind", "currency")

transfers = tenant_table(
    "ledger_transfer",
    Column("key", String(KEY_MAX), nullable=False, info=VOLATILE),
    Column("digest", LargeBinary(16), nullable=False, info=VOLATILE),
    Column("kind", String(20), nullable=False),
    Column("debit_account_id", Id, nullable=False),
    Column("credit_account_id", Id, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("subject_kind", String(SUBJECT_KIND_MAX)),
    Column("subject_id", Id),
    Column("price_family", String(20)),
    Column("reason", String(REASON_MAX)),
    Column("refund_of", Id),
    Column("hold_id", Id),
    Column("given_back_minor", BigInteger, nullable=False, server_default="0"),
    Column("at", UTCDateTime, nullable=False),
    Column("by_user_id", Id),
    UniqueConstraint("client_id", "key"),
    UniqueConstraint("client_id", "hold_id"),
    Index(None, "client_id", "kind", "id"),
    Index(None, "client_id", "refund_of"),
    Index(None, "client_id", "subject_kind", "subject_id"),
    CheckConstraint("amount_minor > 0", name="amount"),
    CheckConstraint("given_back_minor BETWEEN 0 AND amount_minor", name="given_back"),
)
"""Money moved from one account (debit) to another (credit). `key` makes it unique, `digest` covers its contents.

`refund_of` is the transfer that this one refunds, `hold_id` the hold that it ends; a hold ends at most once.
`given_back_minor` counts everything returned of a charge: refunds, cancellations and credit notes. It is the only
column that changes, with the row locked."""
personal_data(
    transfers,
    RecordKind.ORDER_CONTACTS,
    by={"by_user_id": PersonKey.USER},
    erased={"reason": None},
    plain=("key", "digest", "kind", "currency", "subject_kind", "price_family"),
)

entries = append_only_table(
    "ledger_entry",
    Column("account_id", Id, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("transfer_id", Id, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
    Column("balance_minor", BigInteger, nullable=False),
    Column("at", UTCDateTime, nullable=False),
    Index(None, "client_id", "account_id", "at", "seq"),
    key=("account_id", "seq"),
)
"""One side of a transfer, and the balance of its account afterwards. Within an account, `seq` counts from 1 without
gaps and `at` never goes back."""

holds = tenant_table(
    "ledger_hold",
    Column("key", String(KEY_MAX), nullable=False, info=VOLATILE),
    Column("digest", LargeBinary(16), nullable=False, info=VOLATILE),
    Column("customer_id", Id, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("status", String(10), nullable=False),
    Column("captured_minor", BigInteger, nullable=False),
    Column("subject_kind", String(SUBJECT_KIND_MAX)),
    Column("subject_id", Id),
    Column("price_family", String(20)),
    Column("expires_at", UTCDateTime),
    Column("at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    UniqueConstraint("client_id", "key"),
    Index(None, "client_id", "customer_id", "status"),
    CheckConstraint("amount_minor > 0 AND captured_minor BETWEEN 0 AND amount_minor", name="amount"),
)
"""Reserved part of a wallet, until it is captured, released or expired."""
plain_columns(holds, "key", "digest", "currency", "status", "subject_kind", "price_family")


class AccountRow(Row):
    """An account."""

    id: int
    kind: str
    owner_id: int
    currency: str
    shard: int
    balance_minor: int
    held_minor: int
    floor_minor: int | None
    seq: int


class TransferRow(Row):
    """A transfer."""

    id: int
    key: str
    digest: bytes
    kind: str
    debit_account_id: int
    credit_account_id: int
    amount_minor: int
    currency: str
    subject_kind: str | None
    subject_id: int | None
    price_family: str | None
    reason: str | None
    refund_of: int | None
    hold_id: int | None
    given_back_minor: int
    at: datetime
    by_user_id: int | None


def left_of(row: TransferRow) -> int:
    """Return the refundable amount of a transfer in minor units."""
    return row.amount_minor - row.given_back_minor


class HoldRow(Row):
    """A hold."""

    id: int
    key: str
    digest: bytes
    customer_id: int
    amount_minor: int
    currency: str
    status: str
    captured_minor: int
    subject_kind: str | None
    subject_id: int | None
    price_family: str | None
    expires_at: datetime | None
    at: datetime
    ended_at: datetime | None


def subject_of(row: TransferRow | HoldRow) -> MoneySubject | None:
    """Return the subject of a transfer or hold."""
    if row.subject_kind is None or row.subject_id is None:
        return None
    return MoneySubject(row.subject_kind, row.subject_id, PriceFamily(row.price_family) if row.price_family else None)
