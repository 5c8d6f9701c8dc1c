"""Tables of the ledger.

Transfers and entries are only inserted. The refunded sum of a transfer is the only value that changes.
"""

from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, LargeBinary, SmallInteger, String, UniqueConstraint

from haulier.contexts.billing.ledger.rules import (
    CHARGED_REFERENCE_MAX,
    ITEM_MAX,
    KEY_MAX,
    RECIPIENT_MAX,
    SUBJECT_KIND_MAX,
    MoneySubject,
)
from haulier.contexts.billing.taxes.rules import CERTIFICATE_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, append_only_table
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import REASON_MAX


class AccountRow(
    Record,
    table="ledger_account",
    items=[
        UniqueConstraint("client_id", "kind", "owner_id", "currency", "shard"),
        CheckConstraint("held_minor >= 0", name="held"),
    ],
):
    """An account.

    `owner_id` is a customer, or a driver for `driver_cash`; 0 for an account of the business, which has several shards.

    `held_minor` of the balance is reserved by holds. Purchases may not take the rest below `floor_minor`: minus the
    credit limit of a wallet, null for an account without limits. Services charged after they were rendered may. `seq`
    is the number of the newest entry, and `booked_at` its time.
    """

    kind: Annotated[str, String(20)]
    owner_id: Reference
    currency: Annotated[str, String(3)]
    shard: Annotated[int, SmallInteger]
    balance_minor: BigInt
    held_minor: BigInt
    floor_minor: BigInt | None
    seq: BigInt
    booked_at: datetime


accounts = AccountRow.table
plain_columns(accounts, "kind", "currency")


class TransferRow(
    Record,
    table="ledger_transfer",
    items=[
        UniqueConstraint("client_id", "key"),
        UniqueConstraint("client_id", "hold_id"),
        Index(None, "client_id", "kind", "id"),
        Index(None, "client_id", "at", "id"),
        Index(None, "client_id", "refund_of"),
        Index(None, "client_id", "subject_kind", "subject_id"),
        CheckConstraint("amount_minor > 0", name="amount"),
        CheckConstraint("given_back_minor BETWEEN 0 AND amount_minor", name="given_back"),
    ],
):
    """A transfer.

    Money moved from one account (debit) to another (credit). `key` makes it unique, `digest` covers its contents.

    `refund_of` is the transfer that this one refunds, `hold_id` the hold that it ends; a hold ends at most once.
    `given_back_minor` counts everything returned of a charge: refunds, cancellations and credit notes. It is the only
    column that changes, with the row locked.
    """

    key: Annotated[str, Column("key", String(KEY_MAX), nullable=False, info=VOLATILE)]
    digest: Annotated[bytes, Column("digest", LargeBinary(16), nullable=False, info=VOLATILE)]
    kind: Annotated[str, String(20)]
    debit_account_id: Reference
    credit_account_id: Reference
    amount_minor: BigInt
    currency: Annotated[str, String(3)]
    subject_kind: Annotated[str, String(SUBJECT_KIND_MAX)] | None
    subject_id: Reference | None
    price_family: Annotated[str, String(20)] | None
    reason: Annotated[str, String(REASON_MAX)] | None
    refund_of: Reference | None
    hold_id: Reference | None
    given_back_minor: Annotated[int, Column("given_back_minor", BigInteger, nullable=False, server_default="0")]
    at: datetime
    by_user_id: Reference | None


transfers = TransferRow.table
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


class HoldRow(
    Record,
    table="ledger_hold",
    items=[
        UniqueConstraint("client_id", "key"),
        Index(None, "client_id", "customer_id", "status"),
        CheckConstraint("amount_minor > 0 AND captured_minor BETWEEN 0 AND amount_minor", name="amount"),
    ],
):
    """A hold.

    Reserved part of a wallet, until it is captured, released or expired.
    """

    key: Annotated[str, Column("key", String(KEY_MAX), nullable=False, info=VOLATILE)]
    digest: Annotated[bytes, Column("digest", LargeBinary(16), nullable=False, info=VOLATILE)]
    customer_id: Reference
    amount_minor: BigInt
    currency: Annotated[str, String(3)]
    status: Annotated[str, String(10)]
    captured_minor: BigInt
    subject_kind: Annotated[str, String(SUBJECT_KIND_MAX)] | None
    subject_id: Reference | None
    price_family: Annotated[str, String(20)] | None
    expires_at: datetime | None
    at: datetime
    ended_at: datetime | None


holds = HoldRow.table
plain_columns(holds, "key", "digest", "currency", "status", "subject_kind", "price_family")


class ChargeLineRow(Record, table="charge_line", items=[UniqueConstraint("client_id", "transfer_id")]):
    """Description of a charge, as invoices print it.

    A charge without taxes is taxed at the default rate of its invoice. An exemption explains untaxed charges.
    """

    transfer_id: Reference
    item: Annotated[str, String(ITEM_MAX)] | None
    reference: Annotated[str, String(CHARGED_REFERENCE_MAX)] | None
    recipient: Annotated[str, String(RECIPIENT_MAX)] | None
    serviced_on: date | None
    taxes: list[dict[str, Any]] | None
    exemption_kind: Annotated[str, String(20)] | None
    exemption_number: Annotated[str, String(CERTIFICATE_MAX)] | None


charge_lines = ChargeLineRow.table
personal_data(
    charge_lines,
    RecordKind.ORDER_CONTACTS,
    by={"recipient": PersonKey.NAME},
    erased={"recipient": None, "exemption_number": None},
    plain=("item", "reference", "taxes", "exemption_kind"),
)


def left_of(row: TransferRow) -> int:
    """Return the refundable amount of a transfer in minor units."""
    return row.amount_minor - row.given_back_minor


def subject_of(row: TransferRow | HoldRow) -> MoneySubject | None:
    """Return the subject of a transfer or hold."""
    if row.subject_kind is None or row.subject_id is None:
        return None
    return MoneySubject(row.subject_kind, row.subject_id, PriceFamily(row.price_family) if row.price_family else None)
