"""The table of claims on inbound parcels."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.consolidation.claims.rules import ClaimState
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX

NUMBER_MAX, TEXT_MAX = 100, 500

claims = tenant_table(
    "inbound_claim",
    Column("parcel_id", Id, nullable=False),
    Column("customer_id", Id, nullable=False),
    Column("state", String(12), nullable=False),
    Column("tracking_number", String(NUMBER_MAX), nullable=False),
    Column("contents", String(TEXT_MAX)),
    Column("declared_value", BigInteger),
    Column("declared_currency", String(3)),
    Column("note", String(NOTE_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("decided_at", UTCDateTime),
    Column("decided_by", Id),
    UniqueConstraint("client_id", "parcel_id", "customer_id"),
    Index("ix_inbound_claim_state", "client_id", "state", "id"),
)
"""One for each parcel and customer: a refused claim cannot be repeated."""
personal_data(
    claims,
    RecordKind.INBOUND_PARCELS,
    by={"parcel_id": PersonKey.INBOUND_PARCEL, "customer_id": PersonKey.USER},
    plain=("state", "declared_currency"),
)
_by_id = select(claims).where(claims.c.id == bindparam("claim"))
_of_parcel = claims.c.parcel_id == bindparam("parcel")
_of_customer = select(claims).where(_of_parcel, claims.c.customer_id == bindparam("customer"))
_approve_winner = update(claims).where(
    _of_parcel, claims.c.customer_id == bindparam("customer"), claims.c.state == ClaimState.PENDING
)
_refuse_pending = update(claims).where(_of_parcel, claims.c.state == ClaimState.PENDING)
_refuse_approved = update(claims).where(_of_parcel, claims.c.state == ClaimState.APPROVED)


class InboundClaimRow(Row):
    """A claim."""

    id: int
    parcel_id: int
    customer_id: int
    state: str
    tracking_number: str
    contents: str | None
    declared_value: int | None
    declared_currency: str | None
    note: str | None
    created_at: datetime
    decided_at: datetime | None


async def insert_claim(work: UnitOfWork, values: Mapping[str, Any]) -> InboundClaimRow | None:
    """Write a claim; None where the customer has claimed the parcel before."""
    written = await work.insert_new(claims, [values], InboundClaimRow)
    return written[0] if written else None


async def get_claim_row(work: UnitOfWork, claim_id: int) -> InboundClaimRow | None:
    """A claim, or None."""
    return await work.first(_by_id, InboundClaimRow, claim=claim_id)


async def get_claim_of_customer(work: UnitOfWork, parcel_id: int, customer_id: int) -> InboundClaimRow | None:
    """The claim of a customer on a parcel, or None."""
    return await work.first(_of_customer, InboundClaimRow, parcel=parcel_id, customer=customer_id)


async def settle_claims(work: UnitOfWork, parcel_id: int, customer_id: int, at: datetime, by: int | None) -> None:
    """Approve the owner's pending claim on a parcel, and refuse the others."""
    decided = {"decided_at": at, "decided_by": by}
    approved = _approve_winner.values(state=ClaimState.APPROVED.value, **decided)
    await work.run(approved, parcel=parcel_id, customer=customer_id)
    await work.run(_refuse_pending.values(state=ClaimState.REFUSED.value, **decided), parcel=parcel_id)


async def refuse_approved_claim(work: UnitOfWork, parcel_id: int, at: datetime, by: int | None) -> None:
    """Refuse the approved claim on a parcel, once the office took the parcel back."""
    refused = _refuse_approved.values(state=ClaimState.REFUSED.value, decided_at=at, decided_by=by)
    await work.run(refused, parcel=parcel_id)


async def refuse_claim(work: UnitOfWork, claim_id: int, at: datetime, by: int | None) -> None:
    """Refuse one claim."""
    refused = update(claims).where(claims.c.id == bindparam("claim"))
    values = {"state": ClaimState.REFUSED.value, "decided_at": at, "decided_by": by}
    await work.run(refused.values(**values), claim=claim_id)


async def list_claim_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], *, limit: int, offset: int, most: int
) -> tuple[list[InboundClaimRow], int]:
    """A page of claims, newest first, and their number, counted up to `most`."""
    page = select(claims).where(*conditions).order_by(claims.c.id.desc()).limit(limit).offset(offset)
    counted = select(claims.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, InboundClaimRow), total
