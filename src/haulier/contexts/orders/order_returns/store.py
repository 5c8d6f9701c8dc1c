"""Tables of order returns and of their proposed refunds."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, UniqueConstraint, bindparam, func, select, update

from haulier.contexts.orders.order_returns.contract import RETURN_NOTE_MAX, RETURN_REASON_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT


class OrderReturnRow(
    Record,
    table="order_return",
    items=[
        UniqueConstraint("client_id", "return_order_id"),
        Index("ix_order_return_order", "client_id", "order_id", "id"),
        Index("ix_order_return_customer", "client_id", "customer_id", "id"),
        Index("ix_order_return_state", "client_id", "state", "id"),
    ],
):
    """A return of goods of a delivered order.

    `return_order_id` is the order that brings them back, if the customer does not. `items` and `inspection` are as
    callers see them.
    """

    order_id: Reference
    return_order_id: Reference | None
    customer_id: Reference | None
    method: Annotated[str, String(20)]
    state: Annotated[str, String(20)]
    reason: Annotated[str, String(RETURN_REASON_MAX)]
    note: Annotated[str, String(RETURN_NOTE_MAX)] | None
    items: list[dict[str, Any]]
    inspection: list[dict[str, Any]]
    inspected_at: datetime | None
    inspected_by: Reference | None
    created_at: datetime
    updated_at: datetime


returns = OrderReturnRow.table
personal_data(
    returns,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"note": None},
    plain=("method", "state", "reason", "items", "inspection"),
)


class ReturnRefundRow(
    Record,
    table="order_return_refund",
    items=[
        Index("ix_order_return_refund_return", "client_id", "return_id", "id"),
        Index("ix_order_return_refund_charge", "client_id", "charge_id", "id"),
    ],
):
    """Proposed refund of a charge. `refund_id` is the transfer of an approved one."""

    return_id: Reference
    charge_id: Reference
    price_family: Annotated[str, String(20)]
    currency: Annotated[str, String(3)]
    amount_minor: BigInt
    state: Annotated[str, String(20)]
    reason: Annotated[str, String(REASON_MAX)]
    refund_id: Reference | None
    proposed_by: Reference | None
    proposed_at: datetime
    decided_by: Reference | None
    decided_at: datetime | None


refunds = ReturnRefundRow.table
personal_data(
    refunds,
    RecordKind.ORDER_CONTACTS,
    by={"proposed_by": PersonKey.USER},
    erased={"reason": ""},
    plain=("price_family", "currency", "state"),
)

_r = returns.c
_of_orders = select(returns).where(in_param(_r.order_id, "orders")).order_by(_r.id)
_refunds = select(refunds).where(in_param(refunds.c.return_id, "returns")).order_by(refunds.c.id)
_pending = select(refunds).where(
    in_param(refunds.c.charge_id, "charges"), refunds.c.state == bindparam("open_state", type_=String(20))
)
_cancel = (
    update(returns)
    .where(in_param(_r.return_order_id, "orders"), _r.state == bindparam("open_state", type_=String(20)))
    .values(state=bindparam("new_state", type_=String(20)), updated_at=bindparam("at", type_=_r.updated_at.type))
    .returning(*_r)
)


async def list_returns_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> list[OrderReturnRow]:
    """Return the returns of orders, oldest first."""
    return await work.all(_of_orders, OrderReturnRow, orders=sorted(order_ids)) if order_ids else []


async def list_refund_rows(work: UnitOfWork, return_ids: Collection[int]) -> list[ReturnRefundRow]:
    """Return the proposed refunds of returns, oldest first."""
    return await work.all(_refunds, ReturnRefundRow, returns=sorted(return_ids)) if return_ids else []


async def list_pending_refunds(work: UnitOfWork, charge_ids: Collection[int], state: str) -> list[ReturnRefundRow]:
    """Return the refunds of charges in a state."""
    return await work.all(_pending, ReturnRefundRow, charges=sorted(charge_ids), open_state=state) if charge_ids else []


async def list_return_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[OrderReturnRow], int]:
    """Return a page of matching returns, newest first, and their count.

    Counting stops one above `MAX_COUNT`.
    """
    where: list[ColumnElement[bool]] = [_r[name] == value for name, value in wanted.items()]
    page = select(returns).where(*where).order_by(_r.id.desc()).limit(limit).offset(offset)
    counted = select(_r.id).where(*where).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, OrderReturnRow), await work.value(select(func.count()).select_from(counted))


async def set_state_of_return_orders(
    work: UnitOfWork, order_ids: Collection[int], before: str, state: str, now: datetime
) -> list[OrderReturnRow]:
    """Set the state of returns by return order and former state, and return them."""
    return await work.all(_cancel, OrderReturnRow, orders=sorted(order_ids), open_state=before, new_state=state, at=now)
