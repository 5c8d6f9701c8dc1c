"""What is handed over to carriers at the end of a day."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Date, Index, Integer, LargeBinary, String, bindparam, func, select, update

from haulier.contexts.shipping.labels.rules.lifecycle import ShipmentState
from haulier.contexts.shipping.labels.store.shipments import shipments
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

manifests = tenant_table(
    "shipping_manifest",
    Column("account_id", Id, nullable=False),
    Column("carrier", String(30), nullable=False),
    Column("ship_date", Date, nullable=False),
    Column("state", String(10), nullable=False),
    Column("shipments", Integer, nullable=False),
    Column("carrier_manifest_id", String(200)),
    Column("paper", LargeBinary),
    Column("paper_type", String(100)),
    Column("place", Json, nullable=False),
    Column("leased_until", UTCDateTime),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("closed_at", UTCDateTime),
    Index("ix_shipping_manifest_account", "client_id", "account_id", "id"),
)
plain_columns(manifests, "carrier", "state", "carrier_manifest_id", "paper", "paper_type", "place")
_facts = tuple(column for column in manifests.c if column.name != "paper")
_by_id = select(*_facts).where(manifests.c.id == bindparam("manifest"))
_by_id_locked = _by_id.with_for_update()
_paper = select(manifests.c.paper).where(manifests.c.id == bindparam("manifest"))
_closing = select(manifests.c.id).where(manifests.c.state == "closing").order_by(manifests.c.id)
_open = (
    shipments.c.state == ShipmentState.PURCHASED,
    shipments.c.manifest_id.is_(None),
    shipments.c.ship_date <= bindparam("day"),
    in_param(shipments.c.account_id, "accounts"),
)
_groups = (
    select(
        shipments.c.account_id, shipments.c.origin, func.count().label("count"), func.min(shipments.c.id).label("first")
    )
    .where(*_open)
    .group_by(shipments.c.account_id, shipments.c.origin)
    .order_by(shipments.c.account_id, shipments.c.origin)
)
_next_ids = (
    select(shipments.c.id)
    .where(
        *_open[:3],
        shipments.c.account_id == bindparam("account"),
        shipments.c.origin == bindparam("place"),
        shipments.c.id > bindparam("after"),
    )
    .order_by(shipments.c.id)
    .limit(bindparam("count"))
)
_put_on = (
    update(shipments)
    .where(in_param(shipments.c.id, "ids"), shipments.c.manifest_id.is_(None))
    .values(manifest_id=bindparam("manifest"))
)
_take_off = update(shipments).where(in_param(shipments.c.id, "ids")).values(manifest_id=None)
_on = (
    select(
        shipments.c.id,
        shipments.c.carrier_reference,
        shipments.c.tracking_number,
        shipments.c.account_id,
        shipments.c.voided_at,
    )
    .where(shipments.c.manifest_id == bindparam("manifest"))
    .order_by(shipments.c.id)
)


class ManifestRow(Row):
    """A manifest without its paper."""

    id: int
    account_id: int
    carrier: str
    ship_date: date
    state: str
    shipments: int
    carrier_manifest_id: str | None
    paper_type: str | None
    place: dict[str, Any]
    leased_until: datetime | None
    created_at: datetime
    closed_at: datetime | None


class OpenGroup(Row):
    """Shipments from one place with one account that are not handed over; `first` is one of them."""

    account_id: int
    origin: str | None
    count: int
    first: int


class ManifestedRow(Row):
    """A shipment on a manifest."""

    id: int
    carrier_reference: str | None
    tracking_number: str | None
    account_id: int
    voided_at: datetime | None


class IdRow(Row):
    """A record."""

    id: int


async def list_open_groups(work: UnitOfWork, day: date, accounts: Sequence[int]) -> list[OpenGroup]:
    """What could be handed over."""
    return await work.all(_groups, OpenGroup, day=day, accounts=list(accounts))


async def list_open_ids(
    work: UnitOfWork, day: date, account_id: int, origin: str | None, after: int, count: int
) -> list[int]:
    """The next shipments of a group."""
    rows = await work.all(_next_ids, IdRow, day=day, account=account_id, place=origin, after=after, count=count)
    return [row.id for row in rows]


async def insert_manifest(work: UnitOfWork, values: Mapping[str, Any], shipment_ids: Collection[int]) -> int:
    """Write a manifest and put shipments on it. Returns its id."""
    id = await work.insert(manifests, **values)
    await work.run(_put_on, ids=list(shipment_ids), manifest=id)
    return id


async def take_off_manifest(work: UnitOfWork, shipment_ids: Collection[int]) -> None:
    """Let shipments be on no manifest."""
    if shipment_ids:
        await work.run(_take_off, ids=list(shipment_ids))


async def list_manifested(work: UnitOfWork, manifest_id: int) -> list[ManifestedRow]:
    """The shipments on a manifest."""
    return await work.all(_on, ManifestedRow, manifest=manifest_id)


async def get_manifest_row(work: UnitOfWork, id: int, *, lock: bool = False) -> ManifestRow | None:
    """A manifest, or None."""
    return await work.first(_by_id_locked if lock else _by_id, ManifestRow, manifest=id)


async def get_manifest_paper(work: UnitOfWork, id: int) -> bytes | None:
    """The carrier's paper, or None."""
    return await work.value(_paper, manifest=id)


async def list_closing_ids(work: UnitOfWork) -> list[int]:
    """Manifests that the carrier has not answered yet."""
    return [row.id for row in await work.all(_closing, IdRow)]


async def update_manifest_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change a manifest."""
    await work.run(update(manifests).where(manifests.c.id == bindparam("manifest")).values(**values), manifest=id)


async def list_manifest_rows(
    work: UnitOfWork, account_id: int | None, limit: int, offset: int
) -> tuple[list[ManifestRow], int]:
    """A page of manifests, newest first, and how many there are."""
    where = () if account_id is None else (manifests.c.account_id == account_id,)
    page = select(*_facts).where(*where).order_by(manifests.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(manifests).where(*where))
    return await work.all(page, ManifestRow), total


class LeftOpenRow(Row):
    """A shipment that was bought and is not handed over."""

    id: int
    account_id: int
    messages: list[dict[str, Any]]


def _left_open(day: date, account_ids: Collection[int]) -> list[ColumnElement[bool]]:
    conditions = [
        shipments.c.state == ShipmentState.PURCHASED,
        shipments.c.manifest_id.is_(None),
        shipments.c.ship_date <= day,
    ]
    return [*conditions, shipments.c.account_id.in_(sorted(account_ids))] if account_ids else conditions


async def list_left_open(work: UnitOfWork, day: date, account_ids: Collection[int], most: int) -> list[LeftOpenRow]:
    """What is not handed over, the oldest first."""
    columns = (shipments.c.id, shipments.c.account_id, shipments.c.messages)
    statement = select(*columns).where(*_left_open(day, account_ids)).order_by(shipments.c.id).limit(most)
    return await work.all(statement, LeftOpenRow)


async def count_left_open(work: UnitOfWork, day: date, account_ids: Collection[int]) -> int:
    """How much is not handed over."""
    return await work.value(select(func.count()).select_from(shipments).where(*_left_open(day, account_ids)))
