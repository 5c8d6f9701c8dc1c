"""The table of inbound parcels."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.consolidation.inbound_parcels.contract import CARRIER_MAX, NUMBER_MAX, TEXT_MAX
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import HERE_STATES, InboundState
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX

parcels = tenant_table(
    "inbound_parcel",
    Column("state", String(20), nullable=False),
    Column("tracking_number", String(NUMBER_MAX), nullable=False),
    Column("number_key", String(NUMBER_MAX), nullable=False),
    Column("carrier", String(CARRIER_MAX)),
    Column("customer_id", Id),
    Column("matched_by", String(12)),
    Column("contents", String(TEXT_MAX)),
    Column("declared_value", BigInteger),
    Column("declared_currency", String(3)),
    Column("note", String(NOTE_MAX)),
    Column("label_text", String(TEXT_MAX)),
    Column("carrier_status", String(60)),
    Column("carrier_status_at", UTCDateTime),
    Column("weight_g", Integer),
    Column("length_mm", Integer),
    Column("width_mm", Integer),
    Column("height_mm", Integer),
    Column("photo_id", Id),
    Column("announced_at", UTCDateTime),
    Column("arrived_at", UTCDateTime),
    Column("received_by", Id),
    Column("ship_out_id", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "number_key"),
    Index("ix_inbound_parcel_state", "client_id", "state", "id"),
    Index("ix_inbound_parcel_customer", "client_id", "customer_id", "id"),
    Index("ix_inbound_parcel_ship_out", "client_id", "ship_out_id"),
)
"""One for each tracking number: what is announced, reported and received under it is one parcel."""
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
_by_id = select(parcels).where(parcels.c.id == bindparam("parcel"))
_by_id_locked = _by_id.with_for_update()
_by_ids = select(parcels).where(in_param(parcels.c.id, "ids")).order_by(parcels.c.id)
_by_ids_locked = _by_ids.with_for_update()
_by_keys = select(parcels).where(in_param(parcels.c.number_key, "keys")).order_by(parcels.c.id)
_by_keys_locked = _by_keys.with_for_update()
_of_ship_out = select(parcels).where(parcels.c.ship_out_id == bindparam("ship_out")).order_by(parcels.c.id)
_of_ship_out_locked = _of_ship_out.with_for_update()
_delete = delete(parcels).where(parcels.c.id == bindparam("parcel"))
_nobodys_before = (
    select(parcels)
    .where(parcels.c.state == InboundState.ARRIVED, parcels.c.arrived_at < bindparam("before"))
    .order_by(parcels.c.id)
    .limit(bindparam("most"))
    .with_for_update()
)


class InboundParcelRow(Row):
    """An inbound parcel."""

    id: int
    state: str
    tracking_number: str
    number_key: str
    carrier: str | None
    customer_id: int | None
    matched_by: str | None
    contents: str | None
    declared_value: int | None
    declared_currency: str | None
    note: str | None
    label_text: str | None
    carrier_status: str | None
    carrier_status_at: datetime | None
    weight_g: int | None
    length_mm: int | None
    width_mm: int | None
    height_mm: int | None
    photo_id: int | None
    announced_at: datetime | None
    arrived_at: datetime | None
    received_by: int | None
    ship_out_id: int | None
    created_at: datetime
    updated_at: datetime


async def insert_parcels(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[InboundParcelRow]:
    """Write parcels and return them; those whose number is there are left out, once the call that took it has ended."""
    return await work.insert_new(parcels, rows, InboundParcelRow)


async def get_parcel_row(work: UnitOfWork, parcel_id: int, *, lock: bool = False) -> InboundParcelRow | None:
    """A parcel, or None."""
    return await work.first(_by_id_locked if lock else _by_id, InboundParcelRow, parcel=parcel_id)


async def list_parcels_of_ids(
    work: UnitOfWork, ids: Collection[int], *, lock: bool = False
) -> dict[int, InboundParcelRow]:
    """Parcels by id. Locked in the order of their ids, so that two calls do not wait for each other."""
    rows = await work.all(_by_ids_locked if lock else _by_ids, InboundParcelRow, ids=list(ids)) if ids else []
    return {row.id: row for row in rows}


async def list_parcels_of_keys(
    work: UnitOfWork, keys: Collection[str], *, lock: bool = False
) -> dict[str, InboundParcelRow]:
    """Parcels by the keys of their numbers."""
    rows = await work.all(_by_keys_locked if lock else _by_keys, InboundParcelRow, keys=list(keys)) if keys else []
    return {row.number_key: row for row in rows}


async def list_parcels_of_ship_out(work: UnitOfWork, ship_out_id: int, *, lock: bool = False) -> list[InboundParcelRow]:
    """The parcels of a ship-out."""
    return await work.all(_of_ship_out_locked if lock else _of_ship_out, InboundParcelRow, ship_out=ship_out_id)


async def update_parcel(work: UnitOfWork, parcel_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a parcel."""
    await work.run(update(parcels).where(parcels.c.id == bindparam("parcel")).values(**values), parcel=parcel_id)


async def update_parcels(work: UnitOfWork, ids: Collection[int], values: Mapping[str, Any]) -> None:
    """Change the same columns of several parcels."""
    if ids:
        await work.run(update(parcels).where(in_param(parcels.c.id, "ids")).values(**values), ids=list(ids))


async def delete_parcel(work: UnitOfWork, parcel_id: int) -> None:
    """Delete a parcel."""
    await work.run(_delete, parcel=parcel_id)


async def lock_nobodys_parcels(work: UnitOfWork, before: datetime, most: int) -> list[InboundParcelRow]:
    """Parcels that are here and nobody's, and were received before a time; the first of them, locked."""
    return await work.all(_nobodys_before, InboundParcelRow, before=before, most=most)


async def list_parcel_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], *, limit: int, offset: int, most: int
) -> tuple[list[InboundParcelRow], int]:
    """A page of parcels, newest first, and how many there are, counted up to `most`."""
    page = select(parcels).where(*conditions).order_by(parcels.c.id.desc()).limit(limit).offset(offset)
    counted = select(parcels.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, InboundParcelRow), total
