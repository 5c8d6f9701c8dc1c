"""The table of inbound parcels."""

from collections.abc import Collection, Mapping, Sequence
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

from haulier.contexts.consolidation.inbound_parcels.contract import CARRIER_MAX, NUMBER_MAX, TEXT_MAX
from haulier.contexts.consolidation.inbound_parcels.rules import HERE_STATES, InboundState
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX


class InboundParcelRow(
    Record,
    table="inbound_parcel",
    items=[
        UniqueConstraint("client_id", "number_key"),
        Index("ix_inbound_parcel_state", "client_id", "state", "id"),
        Index("ix_inbound_parcel_customer", "client_id", "customer_id", "id"),
        Index("ix_inbound_parcel_ship_out", "client_id", "ship_out_id"),
    ],
):
    """An inbound parcel.

    One for each tracking number: what is announced, reported and received under it is one parcel.
    """

    state: Annotated[str, String(20)]
    tracking_number: Annotated[str, String(NUMBER_MAX)]
    number_key: Annotated[str, String(NUMBER_MAX)]
    carrier: Annotated[str, String(CARRIER_MAX)] | None
    customer_id: Reference | None
    matched_by: Annotated[str, String(12)] | None
    contents: Annotated[str, String(TEXT_MAX)] | None
    declared_value: BigInt | None
    declared_currency: Annotated[str, String(3)] | None
    note: Annotated[str, String(NOTE_MAX)] | None
    label_text: Annotated[str, String(TEXT_MAX)] | None
    carrier_status: Annotated[str, String(60)] | None
    carrier_status_at: datetime | None
    weight_g: int | None
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    photo_id: Reference | None
    announced_at: datetime | None
    arrived_at: datetime | None
    received_by: Reference | None
    ship_out_id: Reference | None
    created_at: datetime
    updated_at: datetime


parcels = InboundParcelRow.table
_is_here = parcels.c.state.in_(sorted(HERE_STATES))
personal_data(
    parcels,
    RecordKind.INBOUND_PARCELS,
    by={
        "id": PersonKey.INBOUND_PARCEL,
        "customer_id": PersonKey.USER,
        "tracking_number": PersonKey.TRACKING_NUMBER,
    },
    gives={"id": PersonKey.INBOUND_PARCEL},
    in_use=_is_here,
)
plain_columns(parcels, "state", "carrier", "matched_by", "declared_currency", "carrier_status")
retained(
    RecordKind.INBOUND_PARCELS,
    parcels.c.updated_at,
    default_days=730,
    minimum_days=30,
    only=~_is_here,
    root=PersonKey.INBOUND_PARCEL,
)
_by_ids = select(parcels).where(in_param(parcels.c.id, "ids")).order_by(parcels.c.id)
_by_ids_locked = _by_ids.with_for_update()
_by_keys = select(parcels).where(in_param(parcels.c.number_key, "keys")).order_by(parcels.c.id)
_by_keys_locked = _by_keys.with_for_update()
_of_ship_out = select(parcels).where(parcels.c.ship_out_id == bindparam("ship_out")).order_by(parcels.c.id)
_of_ship_out_locked = _of_ship_out.with_for_update()
_nobodys_before = (
    select(parcels)
    .where(parcels.c.state == InboundState.ARRIVED, parcels.c.arrived_at < bindparam("before"))
    .order_by(parcels.c.id)
    .limit(bindparam("most"))
    .with_for_update()
)


async def insert_parcels(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[InboundParcelRow]:
    """Insert parcels and return them; known numbers are skipped.

    Waits for calls that hold a number.
    """
    return await work.insert_new(parcels, rows, InboundParcelRow)


async def list_parcels_of_ids(
    work: UnitOfWork, ids: Collection[int], *, lock: bool = False
) -> dict[int, InboundParcelRow]:
    """Return parcels by id, locked in id order, which prevents deadlocks."""
    rows = await work.all(_by_ids_locked if lock else _by_ids, InboundParcelRow, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def list_parcels_of_keys(
    work: UnitOfWork, keys: Collection[str], *, lock: bool = False
) -> dict[str, InboundParcelRow]:
    """Return parcels by the keys of their numbers."""
    rows = await work.all(_by_keys_locked if lock else _by_keys, InboundParcelRow, keys=list(keys)) if keys else []
    return {row.number_key: row for row in rows}


async def list_parcels_of_ship_out(work: UnitOfWork, ship_out_id: int, *, lock: bool = False) -> list[InboundParcelRow]:
    """Return the parcels of a ship-out."""
    return await work.all(_of_ship_out_locked if lock else _of_ship_out, InboundParcelRow, ship_out=ship_out_id)


async def update_parcels(work: UnitOfWork, ids: Collection[int], values: Mapping[str, Any]) -> None:
    """Change the same columns of several parcels."""
    if ids:
        await work.run(update(parcels).where(in_param(parcels.c.id, "ids")).values(**values), ids=list(ids))


async def lock_nobodys_parcels(work: UnitOfWork, before: datetime, most: int) -> list[InboundParcelRow]:
    """Lock and return the first parcels without an owner received before a time."""
    return await work.all(_nobodys_before, InboundParcelRow, before=before, most=most)


async def list_parcel_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], *, limit: int, offset: int, most: int
) -> tuple[list[InboundParcelRow], int]:
    """Return a page of parcels, newest first, and their total, up to `most`."""
    page = select(parcels).where(*conditions).order_by(parcels.c.id.desc()).limit(limit).offset(offset)
    counted = select(parcels.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, InboundParcelRow), total
