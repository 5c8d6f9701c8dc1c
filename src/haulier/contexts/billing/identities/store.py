"""Tables and statements of billing identities."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from sqlalchemy import String, UniqueConstraint

from haulier.contexts.billing.identities.rules import (
    CODE_MAX,
    ELECTRONIC_ADDRESS_MAX,
    IDENTITY_FIELDS,
    BillingIdentity,
)
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import EMAIL_MAX, NAME_MAX

Name = Annotated[str, String(NAME_MAX)]
Code = Annotated[str, String(CODE_MAX)]


class BillingIdentityRow(Record, table="billing_identity", items=[UniqueConstraint("client_id", "customer_id")]):
    """Legal identity of a customer, or of the business with the customer 0."""

    customer_id: Reference
    legal_name: Name | None
    street: Name | None
    city: Name | None
    postal_code: Code | None
    region: Code | None
    country: Annotated[str, String(2)] | None
    vat_number: Code | None
    tax_number: Code | None
    company_number: Code | None
    electronic_scheme: Annotated[str, String(4)] | None
    electronic_address: Annotated[str, String(ELECTRONIC_ADDRESS_MAX)] | None
    contact_name: Name | None
    contact_phone: Code | None
    contact_email: Annotated[str, String(EMAIL_MAX)] | None
    iban: Code | None
    bic: Code | None
    buyer_reference: Name | None
    updated_at: datetime


class InvoicePartyRow(Record, table="invoice_party", items=[UniqueConstraint("client_id", "invoice_id")]):
    """Identities of the seller and buyer of an invoice, as issued."""

    invoice_id: Reference
    customer_id: Reference
    seller: dict[str, Any]
    buyer: dict[str, Any]


identities, parties = BillingIdentityRow.table, InvoicePartyRow.table
_PLAIN = ("country", "electronic_scheme", "bic")
personal_data(
    identities,
    RecordKind.ORDER_CONTACTS,
    by={
        "customer_id": PersonKey.USER,
        "legal_name": PersonKey.NAME,
        "contact_name": PersonKey.NAME,
        "contact_phone": PersonKey.PHONE,
        "contact_email": PersonKey.EMAIL,
    },
    erased={name: None for name in IDENTITY_FIELDS if name not in _PLAIN},
    plain=_PLAIN,
)
personal_data(
    parties,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER},
    erased={"buyer": lambda row, keys: {}},
    plain=("seller",),
)


async def get_identity_row(work: UnitOfWork, customer_id: int) -> BillingIdentityRow | None:
    """Return the identity of a customer, or of the business for 0, or None."""
    return await BillingIdentityRow.find_by(work, customer_id=customer_id)


async def lock_identity(work: UnitOfWork, customer_id: int, now: datetime) -> BillingIdentityRow:
    """Lock and return an identity. Insert an empty one if none is set."""
    return await BillingIdentityRow.lock_or_insert(work, {"updated_at": now}, customer_id=customer_id)


def identity_of(row: BillingIdentityRow | None) -> BillingIdentity:
    """Return the identity in a row; an empty one without a row."""
    return BillingIdentity(**{name: getattr(row, name, None) for name in IDENTITY_FIELDS})


async def get_parties_of_invoice(work: UnitOfWork, invoice_id: int) -> tuple[BillingIdentity, BillingIdentity]:
    """Return seller and buyer of an invoice as issued, empty if unknown."""
    row = await InvoicePartyRow.find_by(work, invoice_id=invoice_id)
    if row is None:
        return BillingIdentity(), BillingIdentity()
    return msgspec.convert(row.seller, BillingIdentity), msgspec.convert(row.buyer, BillingIdentity)
