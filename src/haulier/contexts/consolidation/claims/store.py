"""The table of claims on inbound parcels."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
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
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX

NUMBER_MAX, TEXT_MAX = 100, 500


class InboundClaimRow(
    Record,
    table="inbound_claim",
    items=[
        UniqueConstraint("client_id", "parcel_id", "customer_id"),
        Index("ix_inbound_claim_state", "client_id", "state", "id"),
    ],
):
    """A claim.

    One for each parcel and customer: a refused claim cannot be repeated.
    """

    parcel_id: Reference
    customer_id: Reference
    state: Annotated[str, String(12)]
    tracking_number: Annotated[str, String(NUMBER_MAX)]
    contents: Annotated[str, String(TEXT_MAX)] | None
    declared_value: BigInt | None
    declared_currency: Annotated[str, String(3)] | None
    note: Annotated[str, String(NOTE_MAX)] | None
    created_at: datetime
    decided_at: datetime | None
    decided_by: Reference | None


claims = InboundClaimRow.table
personal_data(
    claims,
    RecordKind.INBOUND_PARCELS,
    by={"parcel_id": PersonKey.INBOUND_PARCEL, "customer_id": PersonKey.USER},
    plain=("state", "declared_currency"),
)
_of_parcel = claims.c.parcel_id == bindparam("parcel")
_approve_winner = update(claims).where(
    _of_parcel, claims.c.customer_id == bindparam("customer"), claims.c.state == ClaimState.PENDING
)
_refuse_pending = update(claims).where(_of_parcel, claims.c.state == ClaimState.PENDING)
_refuse_approved = update(claims).where(_of_parcel, claims.c.state == ClaimState.APPROVED)


async def insert_claim(work: UnitOfWork, values: Mapping[str, Any]) -> InboundClaimRow | None:
    """Write a claim; None where the customer has claimed the parcel before."""
    written = await work.insert_new(claims, [values], InboundClaimRow)
    return written[0] if written else None


async def resolve_claims(work: UnitOfWork, parcel_id: int, customer_id: int, at: datetime, by: int | None) -> None:
    """Approve the owner's pending claim on a parcel, and refuse the others."""
    decided = {"decided_at": at, "decided_by": by}
    approved = _approve_winner.values(state=ClaimState.APPROVED.value, **decided)
    await work.run(approved, parcel=parcel_id, customer=customer_id)
    await work.run(_refuse_pending.values(state=ClaimState.REFUSED.value, **decided), parcel=parcel_id)


async def reject_approved_claim(work: UnitOfWork, parcel_id: int, at: datetime, by: int | None) -> None:
    """Refuse the approved claim on a parcel, once the office took the parcel back."""
    refused = _refuse_approved.values(state=ClaimState.REFUSED.value, decided_at=at, decided_by=by)
    await work.run(refused, parcel=parcel_id)


async def reject_claim(work: UnitOfWork, claim_id: int, at: datetime, by: int | None) -> None:
    """Refuse one claim."""
    refused = update(claims).where(claims.c.id == bindparam("claim"))
    values = {"state": ClaimState.REFUSED.value, "decided_at": at, "decided_by": by}
    await work.run(refused.values(**values), claim=claim_id)


async def list_claim_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], *, limit: int, offset: int, most: int
) -> tuple[list[InboundClaimRow], int]:
    """Return a page of claims, newest first, and their number, counted up to `most`."""
    page = select(claims).where(*conditions).order_by(claims.c.id.desc()).limit(limit).offset(offset)
    counted = select(claims.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, InboundClaimRow), total
