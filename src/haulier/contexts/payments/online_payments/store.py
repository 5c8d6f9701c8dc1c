"""Tables of online payments, refunds, disputes and notices."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
)

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT

REF_MAX = 255
KEY_MAX = 80
CODE_MAX = 60
TEXT_MAX = 300


class PaymentRow(
    Record,
    table="online_payment",
    items=[
        UniqueConstraint("client_id", "key"),
        UniqueConstraint("client_id", "intent_ref"),
        Index("ix_online_payment_customer", "client_id", "customer_id", "id"),
        Index("ix_online_payment_subject", "client_id", "purpose", "subject_id"),
        CheckConstraint("amount_minor > 0", name="amount"),
    ],
):
    """An online payment.

    `open` is true while money may still come, else null, so that an order has one open payment. `key` makes the
    provider begin it once; `seen_at` is the moment of its status. `by_link`: paid by a link, so refunds go to the card.
    """

    customer_id: Reference
    purpose: Annotated[str, String(20)]
    subject_id: Reference | None
    price_family: Annotated[str, String(20)] | None
    status: Annotated[str, String(30)]
    open: bool | None
    amount_minor: BigInt
    refunded_minor: BigInt
    disputed_minor: BigInt
    currency: Annotated[str, String(3)]
    key: Annotated[str, Column("key", String(KEY_MAX), nullable=False, info=VOLATILE)]
    intent_ref: Annotated[str | None, Column("intent_ref", String(REF_MAX), info=VOLATILE)]
    seen_at: datetime | None
    cancel_asked_at: datetime | None
    order_paid: bool | None
    by_link: bool
    failure_code: Annotated[str, String(CODE_MAX)] | None
    failure_text: Annotated[str, String(TEXT_MAX)] | None
    created_at: datetime
    settled_at: datetime | None


payments = PaymentRow.table
partial_unique_index(
    "uq_online_payment_open", "open AND subject_id IS NOT NULL", payments.c.purpose, payments.c.subject_id
)
plain_columns(
    payments,
    *("purpose", "price_family", "status", "currency", "key", "intent_ref", "failure_code", "failure_text"),
)


class RefundRow(
    Record,
    table="online_refund",
    items=[
        UniqueConstraint("client_id", "key"),
        UniqueConstraint("client_id", "refund_ref"),
        Index("ix_online_refund_payment", "client_id", "payment_id"),
    ],
):
    """A refund.

    `taken_from` is the kind of account debited; `asked_at` is when the provider may first have been called.
    """

    payment_id: Reference
    key: Annotated[str, Column("key", String(KEY_MAX * 4), nullable=False, info=VOLATILE)]
    reference: Annotated[str, String(KEY_MAX)] | None
    refund_ref: Annotated[str | None, Column("refund_ref", String(REF_MAX), info=VOLATILE)]
    status: Annotated[str, String(20)]
    amount_minor: BigInt
    taken_from: Annotated[str, String(20)]
    asked_at: datetime | None
    reason: Annotated[str, String(REASON_MAX)] | None
    by_user_id: Reference | None
    created_at: datetime


refunds = RefundRow.table
personal_data(
    refunds,
    RecordKind.ORDER_CONTACTS,
    by={"by_user_id": PersonKey.USER},
    erased={"reason": None},
    plain=("key", "reference", "refund_ref", "status", "taken_from"),
)


class DisputeRow(
    Record,
    table="online_dispute",
    items=[UniqueConstraint("client_id", "dispute_ref"), Index("ix_online_dispute_payment", "client_id", "payment_id")],
):
    """A disputed payment."""

    payment_id: Reference
    dispute_ref: Annotated[str, Column("dispute_ref", String(REF_MAX), nullable=False, info=VOLATILE)]
    status: Annotated[str, String(20)]
    amount_minor: BigInt
    reason: Annotated[str, String(CODE_MAX)]
    created_at: datetime


disputes = DisputeRow.table
plain_columns(disputes, "dispute_ref", "status", "reason")

notices = tenant_table(
    "payment_notice",
    Column("notice_ref", String(REF_MAX), nullable=False, info=VOLATILE),
    Column("kind", String(CODE_MAX), nullable=False),
    Column("received_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "notice_ref"),
    Index("ix_payment_notice_received", "client_id", "received_at"),
)
"""Received notices, to recognise repeats. A job applies their content."""
plain_columns(notices, "notice_ref", "kind")

_p = payments.c
_by_id = select(payments).where(_p.id == bindparam("payment"))
_by_ref = select(payments).where(_p.intent_ref == bindparam("ref")).with_for_update()
_paid = select(payments).where(
    _p.purpose == bindparam("purpose"), _p.subject_id == bindparam("subject"), _p.order_paid.is_(True)
)
_paid_locked = _paid.with_for_update()
_by_key = select(payments).where(_p.key == bindparam("key")).with_for_update()
_open_of = select(payments).where(
    _p.open.is_(True), _p.purpose == bindparam("purpose"), _p.subject_id == bindparam("subject")
)
_refunds_of = select(refunds).where(in_param(refunds.c.payment_id, "ids")).order_by(refunds.c.id)
_disputes_of = select(disputes).where(in_param(disputes.c.payment_id, "ids")).order_by(disputes.c.id)


_old_notices = delete(notices).where(notices.c.received_at < bindparam("before", type_=notices.c.received_at.type))


class NoticeRow(Row):
    """A received notice."""

    id: int


async def get_payment_row(work: UnitOfWork, payment_id: int, *, lock: bool = False) -> PaymentRow | None:
    """Return a payment, or None."""
    statement = _by_id.with_for_update() if lock else _by_id
    return await work.first(statement, PaymentRow, payment=payment_id)


async def lock_payment_of_intent(work: UnitOfWork, intent_ref: str) -> PaymentRow | None:
    """Lock and return the payment with a provider reference."""
    return await work.first(_by_ref, PaymentRow, ref=intent_ref)


async def lock_payment_of_key(work: UnitOfWork, key: str) -> PaymentRow | None:
    """Lock and return the payment with a key."""
    return await work.first(_by_key, PaymentRow, key=key)


async def lock_paid_payment(work: UnitOfWork, purpose: str, subject_id: int) -> PaymentRow | None:
    """Lock and return the payment that paid an order, or None."""
    return await work.first(_paid_locked, PaymentRow, purpose=purpose, subject=subject_id)


async def find_paid_payment(work: UnitOfWork, purpose: str, subject_id: int) -> PaymentRow | None:
    """Return the payment that has paid an order, or None."""
    return await work.first(_paid, PaymentRow, purpose=purpose, subject=subject_id)


async def get_open_payment(work: UnitOfWork, purpose: str, subject_id: int) -> PaymentRow | None:
    """Return the payment of an order that is open, or None."""
    return await work.first(_open_of, PaymentRow, purpose=purpose, subject=subject_id)


async def list_payment_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[PaymentRow], int]:
    """Return a page of payments matching column values, newest first.

    Also returns the total, counted to one more than is shown.
    """
    conditions: list[ColumnElement[bool]] = [payments.c[name] == value for name, value in wanted.items()]
    page = select(payments).where(*conditions).order_by(_p.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), PaymentRow)
    counted = select(_p.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def list_refund_rows(work: UnitOfWork, payment_ids: Sequence[int]) -> list[RefundRow]:
    """Return the refunds of payments, oldest first."""
    return await work.all(_refunds_of, RefundRow, ids=list(payment_ids))


async def list_dispute_rows(work: UnitOfWork, payment_ids: Sequence[int]) -> list[DisputeRow]:
    """Return the disputes of payments, oldest first."""
    return await work.all(_disputes_of, DisputeRow, ids=list(payment_ids))


async def delete_notices_before(work: UnitOfWork, before: datetime) -> None:
    """Delete old notices: they are not sent again, and are idempotent anyway."""
    await work.run(_old_notices, before=before)


async def record_notice(work: UnitOfWork, notice_ref: str, kind: str, at: datetime) -> bool:
    """Record a notice. Return False if it was received before."""
    row = {"notice_ref": notice_ref[:REF_MAX], "kind": kind[:CODE_MAX], "received_at": at}
    return bool(await work.insert_new(notices, [row], NoticeRow))
