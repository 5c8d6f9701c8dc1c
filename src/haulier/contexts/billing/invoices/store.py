"""Tables of invoices."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    Index,
    SmallInteger,
    String,
    UniqueConstraint,
    select,
)

from haulier.contexts.billing.invoices.rules.invoices import NUMBER_MAX, PREFIX_MAX
from haulier.contexts.billing.ledger.rules import SUBJECT_KIND_MAX
from haulier.kernel.data.personal_data import (
    PersonKey,
    PersonKeys,
    RecordKind,
    key_in,
    personal_data,
    plain_columns,
)
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX


class SettingsRow(Record, table="invoicing_setting", items=[UniqueConstraint("client_id")]):
    """Invoicing settings of a business.

    One row per business. `invoices` and `credit_notes` are the last assigned numbers. Numbers are taken in the issuing
    transaction so that there are no gaps.
    """

    invoice_prefix: Annotated[str, String(PREFIX_MAX)]
    credit_note_prefix: Annotated[str, String(PREFIX_MAX)]
    issuer_lines: list[str]
    tax_name: Annotated[str, String(40)]
    tax_rate_bp: int
    payment_terms_days: int
    payment_instructions: Annotated[str, String(NOTE_MAX)]
    dunning: list[dict[str, int]]
    invoices: int
    credit_notes: int
    updated_at: datetime


settings = SettingsRow.table
plain_columns(
    settings,
    *("invoice_prefix", "credit_note_prefix", "issuer_lines", "tax_name", "payment_instructions", "dunning"),
)


class TermsRow(
    Record,
    table="billing_terms",
    items=[
        UniqueConstraint("client_id", "customer_id"),
        Index("ix_billing_terms_next", "client_id", "next_invoice_on"),
    ],
):
    """Billing terms of a customer.

    Billing terms of a customer. Changes to the customer's invoices lock this row.
    """

    customer_id: Reference
    period: Annotated[str, String(10)] | None
    currency: Annotated[str, String(3)]
    payment_terms_days: int | None
    tax_rate_bp: int | None
    billing_name: Annotated[str, String(NAME_MAX)]
    address_lines: list[str]
    email: Annotated[str, String(254)] | None
    dunning: bool
    next_invoice_on: date | None
    updated_at: datetime


terms = TermsRow.table
personal_data(
    terms,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER, "billing_name": PersonKey.NAME, "email": PersonKey.EMAIL},
    erased={"billing_name": "", "address_lines": lambda row, keys: [], "email": None},
    plain=("period", "currency"),
)


class InvoiceRow(
    Record,
    table="invoice",
    items=[
        UniqueConstraint("client_id", "kind", "number"),
        Index("ix_invoice_customer", "client_id", "customer_id", "id"),
        Index("ix_invoice_status", "client_id", "status", "dunning_level", "due_on"),
        CheckConstraint("total_minor > 0 AND credited_minor BETWEEN 0 AND total_minor", name="amount"),
    ],
):
    """An invoice or credit note.

    `last_seq` is the newest wallet entry that an invoice covers; the next invoice starts after it. `covered_minor` is
    the paid part that was in the wallet at issue. Printed values are stored as issued.
    """

    number: Annotated[str, String(NUMBER_MAX)]
    kind: Annotated[str, String(12)]
    status: Annotated[str, String(10)]
    customer_id: Reference
    currency: Annotated[str, String(3)]
    issued_on: date
    due_on: date
    until: date
    last_seq: BigInt | None
    total_minor: BigInt
    tax_minor: BigInt
    covered_minor: BigInt
    paid_minor: BigInt
    credited_minor: BigInt
    tax_name: Annotated[str, String(40)]
    tax_rate_bp: int
    price_families: list[str]
    billing_name: Annotated[str, String(NAME_MAX)]
    address_lines: list[str]
    issuer_lines: list[str]
    payment_instructions: Annotated[str, String(NOTE_MAX)]
    refers_to: Reference | None
    reason: Annotated[str, String(REASON_MAX)] | None
    dunning: bool
    dunning_level: Annotated[int, SmallInteger]
    document_id: Reference | None
    sent_at: datetime | None
    paid_at: datetime | None
    voided_at: datetime | None
    created_at: datetime
    created_by: Reference | None


invoices = InvoiceRow.table
personal_data(
    invoices,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER, "created_by": PersonKey.USER, "billing_name": PersonKey.NAME},
    erased={"billing_name": "", "address_lines": lambda row, keys: [], "reason": None},
    plain=(
        *("number", "kind", "status", "currency", "tax_name", "price_families", "issuer_lines"),
        "payment_instructions",
    ),
)


class LineRow(
    Record,
    table="invoice_line",
    items=[
        UniqueConstraint("client_id", "invoice_id", "position"),
        Index("ix_invoice_line_transfer", "client_id", "transfer_id"),
    ],
):
    """Line of an invoice.

    Charge on an invoice, or amount of a credit note. `charge_id` is the charge that a credit note refunds.
    """

    invoice_id: Reference
    position: int
    transfer_id: Reference | None
    charge_id: Reference | None
    kind: Annotated[str, String(20)]
    at: datetime
    amount_minor: BigInt
    subject_kind: Annotated[str, String(SUBJECT_KIND_MAX)] | None
    subject_id: Reference | None
    price_family: Annotated[str, String(20)] | None
    reason: Annotated[str, String(REASON_MAX)] | None


lines = LineRow.table


def _lines_of_person(keys: PersonKeys) -> ColumnElement[bool] | None:
    whose = key_in(invoices.c.customer_id, PersonKey.USER, keys)
    return None if whose is None else lines.c.invoice_id.in_(select(invoices.c.id).where(whose))


personal_data(
    lines,
    RecordKind.ORDER_CONTACTS,
    find=_lines_of_person,
    erased={"reason": None},
    plain=("kind", "subject_kind", "price_family"),
)


class LetterRow(Record, table="dunning_letter", items=[UniqueConstraint("client_id", "invoice_id", "level")]):
    """Reminder.

    Reminder about an unpaid invoice.
    """

    invoice_id: Reference
    level: Annotated[int, SmallInteger]
    days_overdue: int
    fee_minor: BigInt
    written_at: datetime


letters = LetterRow.table
