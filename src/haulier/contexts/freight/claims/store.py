"""Table of freight claims and its statements."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, func, select

from haulier.contexts.freight.shipments.rules import OVER
from haulier.contexts.freight.shipments.store import shipments
from haulier.kernel.data.personal_data import ERASED, PersonKey, PersonKeys, RecordKind, key_in, personal_data, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.tables import partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT


class FreightClaimRow(
    Record,
    table="freight_claim",
    items=[
        Index("ix_freight_claim_shipment", "client_id", "freight_shipment_id", "id"),
        Index("ix_freight_claim_customer", "client_id", "customer_id", "id"),
        Index("ix_freight_claim_state", "client_id", "state", "id"),
    ],
):
    """Claim on a freight shipment. One of a kind can be open at a time."""

    freight_shipment_id: Reference
    customer_id: Reference | None
    kind: Annotated[str, String(20)]
    state: Annotated[str, String(20)]
    concealed: bool
    note: Annotated[str, String(NOTE_MAX)]
    document_id: Reference | None
    claimed_minor: BigInt
    approved_minor: BigInt | None
    currency: Annotated[str, String(3)]
    transfer_id: Reference | None
    file_until: date
    decide_until: date
    reason: Annotated[str, String(NOTE_MAX)] | None
    created_by: Reference | None
    created_at: datetime
    decided_by: Reference | None
    decided_at: datetime | None


claims = FreightClaimRow.table
partial_unique_index("uq_freight_claim_open", "state = 'open'", claims.c.freight_shipment_id, claims.c.kind)
personal_data(
    claims,
    RecordKind.SHIPMENTS,
    by={"customer_id": PersonKey.USER},
    erased={"note": ERASED, "reason": None},
    plain=("kind", "state", "currency"),
    in_use=claims.c.state == "open",
)
retained(
    RecordKind.SHIPMENTS,
    shipments.c.updated_at,
    default_days=730,
    minimum_days=30,
    only=shipments.c.status.in_(sorted(each.value for each in OVER)),
    children=(claims.c.freight_shipment_id,),
)
_c = claims.c


def personal_documents(ids: ColumnElement[int], keys: PersonKeys) -> ColumnElement[bool] | None:
    """Return the condition for claims with these ids that belong to a person."""
    theirs = key_in(_c.customer_id, PersonKey.USER, keys)
    return None if theirs is None else ids.in_(select(_c.id).where(theirs))


async def list_claim_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[FreightClaimRow], int]:
    """Return a page of matching claims, newest first, and their count.

    Counting stops one above `MAX_COUNT`.
    """
    where: list[ColumnElement[bool]] = [_c[name] == value for name, value in wanted.items()]
    page = select(claims).where(*where).order_by(_c.id.desc()).limit(limit).offset(offset)
    counted = select(_c.id).where(*where).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, FreightClaimRow), await work.value(select(func.count()).select_from(counted))
