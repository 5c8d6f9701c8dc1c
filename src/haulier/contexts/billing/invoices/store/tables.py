"""Tables of invoices."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
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
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX

settings = tenant_table(
    "invoicing_setting",
    Column("invoice_prefix", String(PREFIX_MAX), nullable=False),
    Column("credit_note_prefix", String(PREFIX_MAX), nullable=False),
    Column("issuer_lines", Json, nullable=False),
    Column("tax_name", String(40), nullable=False),
    Column("tax_rate_bp", Integer, nullable=False),
    Column("payment_terms_days", Integer, nullable=False),
    Column("payment_instructions", String(NOTE_MAX), nullable=False),
    Column("dunning", Json, nullable=False),
    Column("invoices", Integer, nullable=False),
    Column("credit_notes", Integer, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
"""One row per business. `invoices` and `credit_notes` are the last assigned numbers. Numbers are taken in the issuing
transaction so that there are no gaps."""
plain_columns(
    settings,
    *("invoice_prefix", "credit_note_prefix", "issuer_lines", "tax_name", "payment_instructions", "dunning"),
)

terms = tenant_table(
    "billing_terms",
    Column("customer_id", Id, nullable=False),
    Column("period", String(10)),
    Column("currency", String(3), nullable=False),
    Column("payment_terms_days", Integer),
    Column("tax_rate_bp", Integer),
    Column("billing_name", String(NAME_MAX), nullable=False),
    Column("address_lines", Json, nullable=False),
    Column("email", String(254)),
    Column("dunning", Boolean, nullable=False),
    Column("next_invoice_on", Date),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "customer_id"),
    Index("ix_billing_terms_next", "client_id", "next_invoice_on"),
)
"""Billing terms of a customer. Changes to the customer's invoices lock this row."""
personal_data(
    terms,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER, "billing_name": PersonKey.NAME, "email": PersonKey.EMAIL},
    erased={"billing_name": "", "address_lines": lambda row, keys: [], "email": None},
    plain=("period", "currency"),
)

invoices = tenant_table(
    "invoice",
    Column("number", String(NUMBER_MAX), nullable=False),
    Column("kind", String(12), nullable=False),
    Column("status", String(10), nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("issued_on", Date, nullable=False),
    Column("due_on", Date, nullable=False),
    Column("until", Date, nullable=False),
    Column("last_seq", BigInteger),
    Column("total_minor", BigInteger, nullable=False),
    Column("tax_minor", BigInteger, nullable=False),
    Column("covered_minor", BigInteger, nullable=False),
    Column("paid_minor", BigInteger, nullable=False),
    Column("credited_minor", BigInteger, nullable=False),
    Column("tax_name", String(40), nullable=False),
    Column("tax_rate_bp", Integer, nullable=False),
    Column("price_families", Json, nullable=False),
    Column("billing_name", String(NAME_MAX), nullable=False),
    Column("address_lines", Json, nullable=False),
    Column("issuer_lines", Json, nullable=False),
    Column("payment_instructions", String(NOTE_MAX), nullable=False),
    Column("refers_to", Id),
    Column("reason", String(REASON_MAX)),
    Column("dunning", Boolean, nullable=False),
    Column("dunning_level", SmallInteger, nullable=False),
    Column("document_id", Id),
    Column("sent_at", UTCDateTime),
    Column("paid_at", UTCDateTime),
    Column("voided_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    Column("created_by", Id),
    UniqueConstraint("client_id", "kind", "number"),
    Index("ix_invoice_customer", "client_id", "customer_id", "id"),
    Index("ix_invoice_status", "client_id", "status", "dunning_level", "due_on"),
    CheckConstraint("total_minor > 0 AND credited_minor BETWEEN 0 AND total_minor", name="amount"),
)
"""`last_seq` is the newest wallet entry that an invoice covers; the next invoice starts after it. `covered_minor` is
the paid part that was in the wallet at issue. Printed values are stored as issued."""
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

lines = tenant_table(
    "invoice_line",
    Column("invoice_id", Id, nullable=False),
    Column("position", Integer, nullable=False),
    Column("transfer_id", Id),
    Column("charge_id", Id),
    Column("kind", String(20), nullable=False),
    Column("at", UTCDateTime, nullable=False),
    Column("amount_minor", BigInteger, nullable=False),
    Column("subject_kind", String(SUBJECT_KIND_MAX)),
    Column("subject_id", Id),
    Column("price_family", String(20)),
    Column("reason", String(REASON_MAX)),
    UniqueConstraint("client_id", "invoice_id", "position"),
    Index("ix_invoice_line_transfer", "client_id", "transfer_id"),
)
"""Charge on an invoice, or amount of a credit note. `charge_id` is the charge that a credit note refunds."""


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

letters = tenant_table(
    "dunning_letter",
    Column("invoice_id", Id, nullable=False),
    Column("level", SmallInteger, nullable=False),
    Column("days_overdue", Integer, nullable=False),
    Column("fee_minor", BigInteger, nullable=False),
    Column("written_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "invoice_id", "level"),
)
"""Reminder about an unpaid invoice."""
