"""Tables and statements of received payments and their allocations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, CheckConstraint, Index, String, UniqueConstraint, bindparam, cast, func, select, text

from haulier.contexts.billing.ledger.rules import REFERENCE_MAX
from haulier.contexts.billing.received_payments.rules import ReceivedPaymentStatus, status_of
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT

_UNALLOCATED = text("status = 'unallocated'")


class ReceivedPaymentRow(
    Record,
    table="received_payment",
    items=[
        UniqueConstraint("client_id", "transfer_id"),
        Index("ix_received_payment_customer", "client_id", "customer_id", "id"),
        Index("ix_received_payment_status", "client_id", "status", "id"),
        Index(
            "ix_received_payment_unallocated",
            *("client_id", "customer_id", "currency"),
            sqlite_where=_UNALLOCATED,
            postgresql_where=_UNALLOCATED,
        ),
        CheckConstraint("amount_minor > 0 AND allocated_minor BETWEEN 0 AND amount_minor", name="amount"),
    ],
):
    """Payment of a customer by bank transfer or in cash.

    `transfer_id` posted it. `automatic` is false if its unallocated amount waits for staff. `asked` has the
    allocations of the request that recorded it, to compare repeated requests. Changes lock the customer's terms.
    """

    transfer_id: Reference
    customer_id: Reference
    currency: Annotated[str, String(3)]
    amount_minor: BigInt
    allocated_minor: BigInt
    status: Annotated[str, String(12)]
    paid_by: Annotated[str, String(10)]
    reference: Annotated[str, String(REFERENCE_MAX)]
    received_on: date
    automatic: bool
    asked: list[dict[str, Any]] | None
    reason: Annotated[str, String(REASON_MAX)] | None
    reversed_at: datetime | None
    reversal_reason: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime
    created_by: Reference | None


payments = ReceivedPaymentRow.table
personal_data(
    payments,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER, "created_by": PersonKey.USER},
    erased={"reason": None, "reversal_reason": None, "reference": ""},
    plain=("currency", "status", "paid_by", "asked"),
)


class AllocationRow(
    Record,
    table="payment_allocation",
    items=[
        Index("ix_payment_allocation_payment", "client_id", "payment_id", "id"),
        Index("ix_payment_allocation_invoice", "client_id", "invoice_id", "id"),
        CheckConstraint("amount_minor > 0", name="amount"),
    ],
):
    """Amount of a payment that pays an invoice.

    `payment_id` is null for credit without a received payment, such as an online payment or a credit note.
    """

    payment_id: Reference | None
    invoice_id: Reference
    amount_minor: BigInt
    created_at: datetime
    created_by: Reference | None
    undone_at: datetime | None
    undone_by: Reference | None


allocations = AllocationRow.table
plain_columns(allocations)

_p, _a = payments.c, allocations.c
_unallocated = (
    select(payments)
    .where(
        _p.customer_id == bindparam("customer"),
        _p.currency == bindparam("currency"),
        _p.status == ReceivedPaymentStatus.UNALLOCATED.value,
    )
    .order_by(_p.received_on, _p.id)
)
_waiting = (
    select(
        _p.customer_id,
        _p.currency,
        cast(func.sum(_p.amount_minor - _p.allocated_minor), BigInteger).label("waiting_minor"),
    )
    .where(
        in_param(_p.customer_id, "customers"),
        _p.status == ReceivedPaymentStatus.UNALLOCATED.value,
        _p.automatic.is_(False),
    )
    .group_by(_p.customer_id, _p.currency)
)
_valid = _a.undone_at.is_(None)
_of_payments = select(allocations).where(in_param(_a.payment_id, "payments"), _valid).order_by(_a.id)
_of_invoice = select(allocations).where(_a.invoice_id == bindparam("invoice"), _valid).order_by(_a.id)


class WaitingPaymentsRow(Row):
    """Unallocated payments of a customer that wait for staff."""

    customer_id: int
    currency: str
    waiting_minor: int


async def find_payment_of_transfer(work: UnitOfWork, transfer_id: int) -> ReceivedPaymentRow | None:
    """Return the payment that a transfer posted, or None."""
    return await ReceivedPaymentRow.find_by(work, transfer_id=transfer_id)


async def list_unallocated(work: UnitOfWork, customer_id: int, currency: str) -> Sequence[ReceivedPaymentRow]:
    """Return a customer's payments with an unallocated amount, oldest first."""
    return await work.all(_unallocated, ReceivedPaymentRow, customer=customer_id, currency=currency)


async def sum_waiting(work: UnitOfWork, customer_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """Return amounts that wait for staff, by customer and currency."""
    found = await work.all(_waiting, WaitingPaymentsRow, customers=list(customer_ids)) if customer_ids else ()
    return {(row.customer_id, row.currency): row.waiting_minor for row in found}


async def list_allocations_of_payments(
    work: UnitOfWork, payment_ids: Collection[int]
) -> dict[int, list[AllocationRow]]:
    """Return the valid allocations of payments, by payment."""
    found: dict[int, list[AllocationRow]] = {id: [] for id in payment_ids}
    for row in await work.all(_of_payments, AllocationRow, payments=list(payment_ids)) if payment_ids else ():
        found[row.payment_id or 0].append(row)
    return found


async def list_allocations_of_invoice(work: UnitOfWork, invoice_id: int) -> Sequence[AllocationRow]:
    """Return the valid allocations to an invoice."""
    return await work.all(_of_invoice, AllocationRow, invoice=invoice_id)


async def insert_allocation(
    work: UnitOfWork, payment: ReceivedPaymentRow | None, invoice_id: int, minor: int, *, at: datetime, by: int | None
) -> None:
    """Allocate an amount of a locked payment, or of other credit, to an invoice."""
    await AllocationRow.insert(
        work,
        payment_id=payment and payment.id,
        invoice_id=invoice_id,
        amount_minor=minor,
        created_at=at,
        created_by=by,
    )
    if payment is not None:
        await add_allocated(work, payment, minor)


async def add_allocated(work: UnitOfWork, payment: ReceivedPaymentRow, minor: int, **values: Any) -> None:
    """Add to the allocated amount of a locked payment.

    The amount is negative for an undone allocation.
    """
    allocated = payment.allocated_minor + minor
    status = status_of(payment.amount_minor, allocated).value
    await ReceivedPaymentRow.update(work, payment.id, {"allocated_minor": allocated, "status": status, **values})


async def list_payment_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[ReceivedPaymentRow], int]:
    """Return a page of matching payments, newest first, and a count up to one more."""
    conditions = [_p[name] == value for name, value in wanted.items()]
    page = select(payments).where(*conditions).order_by(_p.id.desc()).limit(limit).offset(offset)
    counted = select(_p.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, ReceivedPaymentRow), await work.value(select(func.count()).select_from(counted))
