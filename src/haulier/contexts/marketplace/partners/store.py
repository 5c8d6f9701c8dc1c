"""Tables of partner deliveries. Rows belong to the giver and name the partner.

Statements for the partner run without the tenant filter and select only rows that name the partner.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.marketplace.partners.rules import PartnerOfferStatus, PartnershipState
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import CLIENT_ID, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX
from haulier.kernel.values.postal_codes import POSTAL_SEPARATORS

BOTH_NAMED = "the row names both businesses, and the caller is one of them"


class PartnershipRow(
    Record,
    table="delivery_partnership",
    items=[
        UniqueConstraint("client_id", "partner_id", "live"),
        Index("ix_delivery_partnership_partner", "partner_id", "id"),
    ],
    kind=directory_table,
    why="a row names two clients, and either reads it",
):
    """Partnership. `client_id` is the giver's.

    `live` is null for ended partnerships, so that two businesses have one active partnership per direction and any
    number of old ones.
    """

    client_id: int
    giver_code: Annotated[str, String(64)]
    partner_id: Reference
    partner_code: Annotated[str, String(64)]
    proposed_by_giver: bool
    respond_within_min: int
    note: Annotated[str, String(NOTE_MAX)] | None
    proposed_at: datetime
    accepted_at: datetime | None
    ended_at: datetime | None
    ended_by_giver: bool | None
    reason: Annotated[str, String(REASON_MAX)] | None
    live: bool | None
    shares_rates: bool | None
    """True if the giver sees the rates of the partner for its orders."""


partnerships = PartnershipRow.table
plain_columns(partnerships, "giver_code", "partner_code", "note", "reason")


class PartnerOfferRow(
    Record,
    table="partner_offer",
    items=[
        UniqueConstraint("client_id", "order_id", "held"),
        UniqueConstraint("client_id", "order_id", "partner_id", "open"),
        Index("ix_partner_offer_partner", "partner_id", "status", "id"),
    ],
    kind=directory_table,
    why="a row names two clients, and either reads it",
):
    """Offer of an order to a partner. `client_id` is the giver's.

    `open` and `held` are true or null: an order is offered to a partner once at a time, and one partner has it.

    `partner_order_id` is the partner's own order, `reported_step_id` the last of its steps that was mirrored to the
    giver.
    """

    client_id: int
    partnership_id: Reference
    giver_code: Annotated[str, String(64)]
    partner_id: Reference
    partner_code: Annotated[str, String(64)]
    order_id: Reference
    day: Annotated[str, String(10)] | None
    postal_code: Annotated[str, String(20)] | None
    goods: dict[str, Any]
    fulfilment: Annotated[str, String(20)]
    note: Annotated[str, String(NOTE_MAX)] | None
    fee_most_minor: BigInt | None
    quote_minor: BigInt | None
    currency: Annotated[str, String(3)]
    offered_at: datetime
    respond_by: datetime
    pulled_at: datetime | None
    status: Annotated[str, String(20)]
    answered_at: datetime | None
    ended_at: datetime | None
    reason: Annotated[str, String(REASON_MAX)] | None
    reference: Annotated[str, String(NAME_MAX)] | None
    last_report: Annotated[str, String(20)] | None
    reported_at: datetime | None
    partner_order_id: Reference | None
    reported_step_id: Reference | None
    open: bool | None
    held: bool | None


partner_offers = PartnerOfferRow.table
personal_data(
    partner_offers,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"note": None, "reason": None},
    plain=(
        *("giver_code", "partner_code", "day", "postal_code", "goods", "fulfilment", "currency", "status"),
        *("reference", "last_report"),
    ),
)


IS_OFFERED = partner_offers.c.status == PartnerOfferStatus.OFFERED.value

_partnership = select(partnerships).where(
    partnerships.c.id == bindparam("partnership"),
    or_(partnerships.c[CLIENT_ID] == bindparam("us"), partnerships.c.partner_id == bindparam("us")),
)
_partnership_locked = _partnership.with_for_update()
_received_offer = select(partner_offers).where(
    partner_offers.c.id == bindparam("offer"), partner_offers.c.partner_id == bindparam("us")
)
_some = select(partner_offers).where(in_param(partner_offers.c.id, "ids")).order_by(partner_offers.c.id)
_open_of = select(partner_offers).where(in_param(partner_offers.c.order_id, "ids"), IS_OFFERED)
_expire = (
    update(partner_offers)
    .where(in_param(partner_offers.c.order_id, "ids"), IS_OFFERED, partner_offers.c.respond_by <= bindparam("now"))
    .values(status=PartnerOfferStatus.EXPIRED.value, open=None)
)
_withdraw = (
    update(partner_offers)
    .where(in_param(partner_offers.c.id, "ids"), IS_OFFERED)
    .values(status=PartnerOfferStatus.WITHDRAWN.value, open=None, ended_at=bindparam("now"), reason=bindparam("why"))
)
_cancel = (
    update(partner_offers)
    .where(partner_offers.c.order_id == bindparam("order"), or_(IS_OFFERED, partner_offers.c.held.is_(True)))
    .values(status=PartnerOfferStatus.CANCELLED.value, open=None, held=None, ended_at=bindparam("now"))
)
_end_held = (
    update(partner_offers)
    .where(partner_offers.c.id == bindparam("offer"), partner_offers.c.held.is_(True))
    .values(status=bindparam("reached"), held=None, ended_at=bindparam("now"), reason=bindparam("why"))
)
_held_of = select(partner_offers).where(
    partner_offers.c.order_id == bindparam("order"), partner_offers.c.held.is_(True)
)
_held_of_many = select(partner_offers).where(
    in_param(partner_offers.c.order_id, "ids"), partner_offers.c.held.is_(True)
)
_next = (
    select(partner_offers.c.id)
    .where(partner_offers.c.partner_id == bindparam("us"), IS_OFFERED, partner_offers.c.pulled_at.is_(None))
    .where(partner_offers.c.respond_by > bindparam("now"))
    .order_by(partner_offers.c.id)
    .limit(bindparam("most"))
    .with_for_update(skip_locked=True)
)
_next_of = _next.where(partner_offers.c.partnership_id == bindparam("partnership"))
_pulled = update(partner_offers).where(in_param(partner_offers.c.id, "ids")).values(pulled_at=bindparam("now"))


async def insert_partnership(work: UnitOfWork, giver: int, **values: Any) -> int:
    """Insert a proposal in the giver's name. Return its id.

    Raises `UniqueConflict` if a partnership or proposal exists.
    """
    return await work.without_tenant_filter(BOTH_NAMED).insert(partnerships, **{CLIENT_ID: giver}, live=True, **values)


async def get_partnership(
    work: UnitOfWork, partnership_id: int, us: int, *, lock: bool = False
) -> PartnershipRow | None:
    """Return a partnership of a business, or None."""
    statement = _partnership_locked if lock else _partnership
    return await work.without_tenant_filter(BOTH_NAMED).first(
        statement, PartnershipRow, partnership=partnership_id, us=us
    )


async def update_partnership(work: UnitOfWork, partnership_id: int, us: int, **values: Any) -> None:
    """Update columns of a partnership of a business."""
    ours = or_(partnerships.c[CLIENT_ID] == us, partnerships.c.partner_id == us)
    await work.without_tenant_filter(BOTH_NAMED).run(
        update(partnerships).where(partnerships.c.id == partnership_id, ours).values(**values)
    )


_IN_STATE: Mapping[PartnershipState, ColumnElement[bool]] = {
    PartnershipState.PROPOSED: and_(partnerships.c.accepted_at.is_(None), partnerships.c.ended_at.is_(None)),
    PartnershipState.IN_FORCE: and_(partnerships.c.accepted_at.is_not(None), partnerships.c.ended_at.is_(None)),
    PartnershipState.ENDED: partnerships.c.ended_at.is_not(None),
}


async def find_partnerships(
    work: UnitOfWork, us: int, state: PartnershipState | None, role: str | None, limit: int, offset: int
) -> tuple[Sequence[PartnershipRow], int]:
    """Return a page of a business's partnerships, newest first, and their number."""
    giving, taking = partnerships.c[CLIENT_ID] == us, partnerships.c.partner_id == us
    where = [or_(giving, taking) if role is None else giving if role == "give" else taking]
    if state is not None:
        where.append(_IN_STATE[state])
    wide = work.without_tenant_filter(BOTH_NAMED)
    rows = select(partnerships).where(*where).order_by(partnerships.c.id.desc()).limit(limit).offset(offset)
    return await wide.all(rows, PartnershipRow), await wide.value(
        select(func.count()).select_from(partnerships).where(*where)
    )


_active = (
    select(partnerships)
    .where(partnerships.c[CLIENT_ID] == bindparam("us"), _IN_STATE[PartnershipState.IN_FORCE])
    .order_by(partnerships.c.id)
    .limit(bindparam("most"))
)


async def list_active_partners(work: UnitOfWork, us: int, most: int) -> Sequence[PartnershipRow]:
    """Return the oldest active partnerships in which a business gives orders."""
    return await work.without_tenant_filter(BOTH_NAMED).all(_active, PartnershipRow, us=us, most=most)


async def expire_partner_offers(work: UnitOfWork, order_ids: Collection[int], now: datetime) -> None:
    """Close the expired offers of orders."""
    await work.run(_expire, ids=sorted(order_ids), now=now)


async def list_open_partner_offers(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[PartnerOfferRow]:
    """Return the open offers of orders."""
    return await work.all(_open_of, PartnerOfferRow, ids=sorted(order_ids))


async def insert_partner_offers(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Insert offers. Return their ids."""
    return await work.insert_many(partner_offers, [{**row, "open": True} for row in rows])


async def get_partner_offers(work: UnitOfWork, ids: Collection[int]) -> Sequence[PartnerOfferRow]:
    """Return offers made by the business."""
    return await work.all(_some, PartnerOfferRow, ids=sorted(ids))


async def withdraw_open_offers(work: UnitOfWork, ids: Collection[int], now: datetime, reason: str | None) -> None:
    """Withdraw open offers made by the business."""
    await work.run(_withdraw, ids=sorted(ids), now=now, why=reason)


async def cancel_offers_of_order(work: UnitOfWork, order_id: int, now: datetime) -> None:
    """End every offer of an order, accepted or not."""
    await work.run(_cancel, order=order_id, now=now)


async def get_held_offer_of_order(work: UnitOfWork, order_id: int) -> PartnerOfferRow | None:
    """Return the offer through which a partner has an order, or None."""
    return await work.first(_held_of, PartnerOfferRow, order=order_id)


async def list_held_offers_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[PartnerOfferRow]:
    """Return the offers through which partners have orders."""
    return await work.all(_held_of_many, PartnerOfferRow, ids=sorted(order_ids)) if order_ids else ()


async def end_held_offer(
    work: UnitOfWork, offer_id: int, status: PartnerOfferStatus, now: datetime, reason: str | None
) -> None:
    """End an offer through which a partner has an order."""
    await work.run(_end_held, offer=offer_id, reached=status.value, now=now, why=reason)


async def close_partner_offers(
    work: UnitOfWork, where: Sequence[ColumnElement[bool]], status: PartnerOfferStatus, **values: Any
) -> int:
    """End open offers made by the business. Return the number."""
    closing = update(partner_offers).where(IS_OFFERED, *where).values(status=status.value, open=None, **values)
    return await work.run(closing)


async def get_received_offer(work: UnitOfWork, offer_id: int, us: int) -> PartnerOfferRow | None:
    """Return an offer made to the business, or None."""
    return await work.without_tenant_filter(BOTH_NAMED).first(_received_offer, PartnerOfferRow, offer=offer_id, us=us)


async def answer_received_offer(
    work: UnitOfWork, offer_id: int, us: int, status: PartnerOfferStatus, **values: Any
) -> bool:
    """Answer an offer made to the business. Return False if it is no longer open."""
    this = update(partner_offers).where(partner_offers.c.id == offer_id, partner_offers.c.partner_id == us, IS_OFFERED)
    return bool(await work.without_tenant_filter(BOTH_NAMED).run(this.values(status=status.value, open=None, **values)))


async def update_held_offer(work: UnitOfWork, offer_id: int, us: int, **values: Any) -> bool:
    """Update an accepted offer. Return False if the business no longer has the order."""
    this = update(partner_offers).where(
        partner_offers.c.id == offer_id, partner_offers.c.partner_id == us, partner_offers.c.held.is_(True)
    )
    return bool(await work.without_tenant_filter(BOTH_NAMED).run(this.values(**values)))


async def pull_received_offers(
    work: UnitOfWork, us: int, now: datetime, most: int, partnership_id: int | None
) -> Sequence[PartnerOfferRow]:
    """Pull and return the oldest open offers to the business.

    Concurrent calls never get the same offer.
    """
    wide = work.without_tenant_filter(BOTH_NAMED)
    if partnership_id is None:
        next_rows = await wide.all(_next, us=us, now=now, most=most)
    else:
        next_rows = await wide.all(_next_of, us=us, now=now, most=most, partnership=partnership_id)
    ids = [row.id for row in next_rows]
    if ids:
        await wide.run(_pulled, ids=ids, now=now)
    return await wide.all(_some, PartnerOfferRow, ids=ids) if ids else []


def offer_status_filter(status: PartnerOfferStatus, now: datetime) -> ColumnElement[bool]:
    """Return the condition that an offer has a status at a time."""
    if status is PartnerOfferStatus.OFFERED:
        return and_(IS_OFFERED, partner_offers.c.respond_by > now)
    if status is PartnerOfferStatus.EXPIRED:
        return or_(partner_offers.c.status == status.value, and_(IS_OFFERED, partner_offers.c.respond_by <= now))
    return partner_offers.c.status == status.value


def postal_prefix_filter(prefix: str) -> ColumnElement[bool]:
    """Return the condition that a stop's postal code begins with a normalized prefix."""
    code: ColumnElement[str] = func.upper(partner_offers.c.postal_code)
    for separator in POSTAL_SEPARATORS:
        code = func.replace(code, separator, "")
    return code.startswith(prefix, autoescape=True)


async def find_made_offers(
    work: UnitOfWork, where: Sequence[ColumnElement[bool]], limit: int, offset: int
) -> tuple[Sequence[PartnerOfferRow], int]:
    """Return a page of offers made, newest first, and their number."""
    rows = select(partner_offers).where(*where).order_by(partner_offers.c.id.desc()).limit(limit).offset(offset)
    return await work.all(rows, PartnerOfferRow), await work.value(
        select(func.count()).select_from(partner_offers).where(*where)
    )


async def find_received_offers(
    work: UnitOfWork, us: int, where: Sequence[ColumnElement[bool]], limit: int, offset: int
) -> tuple[Sequence[PartnerOfferRow], int]:
    """Return a page of offers received, newest first, and their number."""
    return await find_made_offers(
        work.without_tenant_filter(BOTH_NAMED), [partner_offers.c.partner_id == us, *where], limit, offset
    )
