"""Tables and statements of labels."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    LargeBinary,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.shipping.labels.rules import ShipmentState
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

quotes = tenant_table(
    "shipping_quote",
    Column("customer_id", Id),
    Column("shipment", Json, nullable=False),
    Column("offers", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Index("ix_shipping_quote_created", "created_at"),
)
personal_data(quotes, RecordKind.SHIPPING_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.SHIPPING_QUOTES, quotes.c.created_at, default_days=7)
_quote_by_id = select(quotes).where(quotes.c.id == bindparam("quote"))


class ShippingQuoteRow(Row):
    """Rates for a shipment."""

    id: int
    customer_id: int | None
    shipment: dict[str, Any]
    offers: list[dict[str, Any]]
    expires_at: datetime


async def insert_quote(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert rates. Return their id."""
    return await work.insert(quotes, **values)


async def get_quote_row(work: UnitOfWork, id: int) -> ShippingQuoteRow | None:
    """Return stored rates, or None."""
    return await work.first(_quote_by_id, ShippingQuoteRow, quote=id)


shipments = tenant_table(
    "shipment",
    Column("state", String(20), nullable=False),
    Column("reference", String(35), nullable=False, info=VOLATILE),
    Column("claim_key", String(160)),
    Column("order_ref", String(100)),
    Column("order_id", Id),
    Column("order_fulfilment", String(20)),
    Column("customer_id", Id),
    Column("account_id", Id),
    Column("carrier", String(30)),
    Column("service", String(60)),
    Column("service_name", String(120)),
    Column("label_format", String(5), nullable=False),
    Column("terms", Json, nullable=False),
    Column("offer", Json),
    Column("origin", String(64)),
    Column("consignee_name", String(200), nullable=False),
    Column("consignee_email", String(254)),
    Column("consignee_phone", String(50)),
    Column("ship_date", Date, nullable=False),
    Column("price_minor", BigInteger),
    Column("cost_minor", BigInteger),
    Column("currency", String(3)),
    Column("tracking_number", String(64)),
    Column("carrier_reference", String(200)),
    Column("messages", Json, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("leased_until", UTCDateTime),
    Column("asked_at", UTCDateTime),
    Column("manifest_id", Id),
    Column("claims", Integer, nullable=False),
    Column("hold_id", Id),
    Column("transfer_id", Id),
    Column("cost_transfer_id", Id),
    Column("moved_at", UTCDateTime),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("bought_at", UTCDateTime),
    Column("voided_at", UTCDateTime),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "reference"),
    UniqueConstraint("client_id", "claim_key"),
    Index("ix_shipment_state", "client_id", "state", "ship_date"),
    Index("ix_shipment_order_ref", "client_id", "order_ref"),
    Index("ix_shipment_customer", "client_id", "customer_id"),
    Index("ix_shipment_manifest", "client_id", "manifest_id"),
    Index("ix_shipment_order", "client_id", "order_id"),
)
"""`order_fulfilment` is the fulfilment of the order before the shipment was attached, which a void restores."""
labels = tenant_table(
    "shipping_label",
    Column("shipment_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("tracking_number", String(64), nullable=False),
    Column("label_format", String(5), nullable=False),
    Column("content", LargeBinary, nullable=False),
    UniqueConstraint("client_id", "shipment_id", "number"),
    Index("ix_shipping_label_tracking_number", "client_id", "tracking_number"),
)


async def _remove_shipments(call: Any, ids: Collection[int]) -> None:
    """Erase personal data of shipments and their labels; payments stay."""
    for id in ids:
        await call.work.run(labels.delete().where(labels.c.shipment_id == bindparam("shipment")), shipment=id)
        await call.work.run(shipments.delete().where(shipments.c.id == bindparam("shipment")), shipment=id)


personal_data(
    shipments,
    RecordKind.SHIPMENTS,
    by={
        "customer_id": PersonKey.USER,
        "consignee_name": PersonKey.NAME,
        "consignee_email": PersonKey.EMAIL,
        "consignee_phone": PersonKey.PHONE,
    },
    gives={"id": PersonKey.SHIPMENT},
    in_use=shipments.c.state.in_([ShipmentState.PURCHASE_UNKNOWN, ShipmentState.VOID_PENDING]),
    remove=_remove_shipments,
    plain=("order_fulfilment",),
)
# No search needed: labels are erased with their shipment.
personal_data(labels, RecordKind.SHIPMENTS, find=lambda keys: None)
plain_columns(labels, "label_format", "tracking_number")
retained(
    RecordKind.SHIPMENTS,
    shipments.c.created_at,
    default_days=730,
    minimum_days=30,
    children=(labels.c.shipment_id,),
)
_shipment_by_id = select(shipments).where(shipments.c.id == bindparam("shipment"))
_by_ids = select(shipments).where(in_param(shipments.c.id, "ids"))
_by_orders = select(shipments).where(in_param(shipments.c.order_id, "orders")).order_by(shipments.c.id.desc())
_by_ids_locked = _by_ids.order_by(shipments.c.id).with_for_update()
_shipment_by_id_locked = _shipment_by_id.with_for_update()
_by_claim = select(shipments).where(shipments.c.claim_key == bindparam("claim"))
_by_ref = select(shipments).where(shipments.c.order_ref == bindparam("ref")).order_by(shipments.c.id.desc()).limit(1)
_by_number = (
    select(shipments)
    .join(labels, and_(labels.c.client_id == shipments.c.client_id, labels.c.shipment_id == shipments.c.id))
    .where(labels.c.tracking_number == bindparam("number"))
    .order_by(shipments.c.id.desc())
    .limit(1)
)
_by_numbers = (
    select(labels.c.shipment_id, labels.c.tracking_number)
    .where(in_param(labels.c.tracking_number, "numbers"))
    .order_by(labels.c.id)
)
_numbers_of_shipments = (
    select(labels.c.shipment_id, labels.c.tracking_number)
    .where(in_param(labels.c.shipment_id, "ids"))
    .order_by(labels.c.shipment_id, labels.c.number)
)
_parcels = (
    select(labels.c.number, labels.c.tracking_number, labels.c.label_format)
    .where(labels.c.shipment_id == bindparam("shipment"))
    .order_by(labels.c.number)
)
_labels_of_shipments = (
    select(labels).where(in_param(labels.c.shipment_id, "ids")).order_by(labels.c.shipment_id, labels.c.number)
)
_forms_of_shipments = (
    select(labels.c.shipment_id, labels.c.label_format).where(in_param(labels.c.shipment_id, "ids")).distinct()
)
_labels = select(labels).where(labels.c.shipment_id == bindparam("shipment")).order_by(labels.c.number)
_owed = (
    select(func.count())
    .select_from(shipments)
    .where(
        shipments.c.account_id == bindparam("account"),
        shipments.c.state.in_([ShipmentState.PURCHASE_UNKNOWN, ShipmentState.VOID_PENDING]),
    )
)


class ShipmentRow(Row):
    """A shipment."""

    id: int
    client_id: int
    state: str
    reference: str
    claim_key: str | None
    order_ref: str | None
    order_id: int | None
    order_fulfilment: str | None
    customer_id: int | None
    account_id: int | None
    carrier: str | None
    service: str | None
    service_name: str | None
    label_format: str
    terms: dict[str, Any]
    offer: dict[str, Any] | None
    origin: str | None
    consignee_name: str
    ship_date: date
    price_minor: int | None
    cost_minor: int | None
    currency: str | None
    tracking_number: str | None
    carrier_reference: str | None
    messages: list[dict[str, Any]]
    attempt: int
    leased_until: datetime | None
    asked_at: datetime | None
    manifest_id: int | None
    claims: int
    hold_id: int | None
    transfer_id: int | None
    cost_transfer_id: int | None
    moved_at: datetime | None
    created_by: int | None
    created_at: datetime
    bought_at: datetime | None
    voided_at: datetime | None
    updated_at: datetime


class ParcelRow(Row):
    """A parcel of a shipment."""

    number: int
    tracking_number: str
    label_format: str


class LabelFormRow(Row):
    """A shipment, and a format of its labels."""

    shipment_id: int
    label_format: str


class LabelRow(Row):
    """The label of a parcel."""

    shipment_id: int
    number: int
    tracking_number: str
    label_format: str
    content: bytes


class NumberRow(Row):
    """A number and its parcel."""

    shipment_id: int
    tracking_number: str


async def insert_shipment(work: UnitOfWork, values: Mapping[str, Any]) -> ShipmentRow | None:
    """Insert a shipment; None if its claim is taken.

    Waits for the call that holds the claim.
    """
    written = await work.insert_new(shipments, [values], ShipmentRow)
    return written[0] if written else None


async def get_shipment_row(work: UnitOfWork, id: int, *, lock: bool = False) -> ShipmentRow | None:
    """Return a shipment, or None."""
    return await work.first(_shipment_by_id_locked if lock else _shipment_by_id, ShipmentRow, shipment=id)


async def lock_shipment_rows(work: UnitOfWork, ids: Collection[int]) -> list[ShipmentRow]:
    """Lock and return shipments in id order, which prevents deadlocks."""
    return await work.all(_by_ids_locked, ShipmentRow, ids=list(ids))


async def list_numbers_of_shipments(work: UnitOfWork, ids: Collection[int]) -> list[NumberRow]:
    """Return tracking numbers of the parcels of shipments, in order."""
    return await work.all(_numbers_of_shipments, NumberRow, ids=list(ids))


async def find_claimed_shipment(work: UnitOfWork, claim: str) -> ShipmentRow | None:
    """Return the shipment of a claim, or None."""
    return await work.first(_by_claim, ShipmentRow, claim=claim)


async def find_shipment_row(
    work: UnitOfWork, *, id: int | None, number: str | None, order_ref: str | None
) -> ShipmentRow | None:
    """Return the newest shipment with one of these names, or None."""
    if id is not None:
        return await get_shipment_row(work, id)
    if number is not None:
        return await work.first(_by_number, ShipmentRow, number=number)
    return await work.first(_by_ref, ShipmentRow, ref=order_ref)


async def list_shipments_by_ids(work: UnitOfWork, ids: Collection[int]) -> list[ShipmentRow]:
    """Return the existing shipments among these ids."""
    return await work.all(_by_ids, ShipmentRow, ids=list(ids)) if ids else []


async def list_shipments_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> list[ShipmentRow]:
    """Return the shipments attached to orders, newest first."""
    return await work.all(_by_orders, ShipmentRow, orders=sorted(order_ids)) if order_ids else []


def has_shipment_in(states: Collection[ShipmentState], order_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that an order has a shipment in one of these states."""
    attached = shipments.c.order_id == order_id
    return select(shipments.c.id).where(attached, shipments.c.state.in_(sorted(states))).exists()


async def update_shipment_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change a shipment. Raises `UniqueConflict` where its claim is taken."""
    await work.run(update(shipments).where(shipments.c.id == bindparam("shipment")).values(**values), shipment=id)


async def insert_labels(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write labels."""
    await work.insert_many(labels, rows)


async def list_parcel_rows(work: UnitOfWork, shipment_id: int) -> list[ParcelRow]:
    """Return the parcels of a shipment that have a label."""
    return await work.all(_parcels, ParcelRow, shipment=shipment_id)


async def list_label_rows(work: UnitOfWork, shipment_id: int) -> list[LabelRow]:
    """Return the labels of a shipment."""
    return await work.all(_labels, LabelRow, shipment=shipment_id)


async def list_labels_of_shipments(work: UnitOfWork, shipment_ids: Collection[int]) -> list[LabelRow]:
    """Return the labels of some shipments, by shipment and parcel."""
    return await work.all(_labels_of_shipments, LabelRow, ids=list(shipment_ids))


async def list_label_forms(work: UnitOfWork, shipment_ids: Collection[int]) -> list[LabelFormRow]:
    """Return the formats of the labels of some shipments."""
    return await work.all(_forms_of_shipments, LabelFormRow, ids=list(shipment_ids))


async def find_shipments_of_numbers(work: UnitOfWork, numbers: Collection[str]) -> dict[str, int]:
    """Return the newest shipment of each tracking number."""
    rows = await work.all(_by_numbers, NumberRow, numbers=list(numbers))
    return {row.tracking_number: row.shipment_id for row in rows}


async def count_owed(work: UnitOfWork, account_id: int) -> int:
    """Return the number of shipments of an account with a pending carrier answer."""
    return await work.value(_owed, account=account_id)


async def list_shipment_rows(
    work: UnitOfWork, conditions: Sequence[ColumnElement[bool]], limit: int, offset: int, most: int
) -> tuple[list[ShipmentRow], int]:
    """Return a page of shipments, newest first, and their total, up to `most`."""
    page = select(shipments).where(*conditions).order_by(shipments.c.id.desc()).limit(limit).offset(offset)
    counted = select(shipments.c.id).where(*conditions).limit(most).subquery()
    total = await work.value(select(func.count()).select_from(counted))
    return await work.all(page, ShipmentRow), total


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
_manifest_by_id = select(*_facts).where(manifests.c.id == bindparam("manifest"))
_manifest_by_id_locked = _manifest_by_id.with_for_update()
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
    """Open shipments from one place with one account; `first` is one of them."""

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
    """Return groups that could be handed over."""
    return await work.all(_groups, OpenGroup, day=day, accounts=list(accounts))


async def list_open_ids(
    work: UnitOfWork, day: date, account_id: int, origin: str | None, after: int, count: int
) -> list[int]:
    """Return the next shipments of a group."""
    rows = await work.all(_next_ids, IdRow, day=day, account=account_id, place=origin, after=after, count=count)
    return [row.id for row in rows]


async def insert_manifest(work: UnitOfWork, values: Mapping[str, Any], shipment_ids: Collection[int]) -> int:
    """Write a manifest and put shipments on it. Returns its id."""
    id = await work.insert(manifests, **values)
    await work.run(_put_on, ids=list(shipment_ids), manifest=id)
    return id


async def remove_from_manifest(work: UnitOfWork, shipment_ids: Collection[int]) -> None:
    """Remove shipments from their manifest."""
    if shipment_ids:
        await work.run(_take_off, ids=list(shipment_ids))


async def list_manifested(work: UnitOfWork, manifest_id: int) -> list[ManifestedRow]:
    """Return the shipments on a manifest."""
    return await work.all(_on, ManifestedRow, manifest=manifest_id)


async def get_manifest_row(work: UnitOfWork, id: int, *, lock: bool = False) -> ManifestRow | None:
    """Return a manifest, or None."""
    return await work.first(_manifest_by_id_locked if lock else _manifest_by_id, ManifestRow, manifest=id)


async def get_manifest_paper(work: UnitOfWork, id: int) -> bytes | None:
    """Return the carrier's paper, or None."""
    return await work.value(_paper, manifest=id)


async def list_closing_ids(work: UnitOfWork) -> list[int]:
    """Return manifests that the carrier has not answered yet."""
    return [row.id for row in await work.all(_closing, IdRow)]


async def update_manifest_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change a manifest."""
    await work.run(update(manifests).where(manifests.c.id == bindparam("manifest")).values(**values), manifest=id)


async def list_manifest_rows(
    work: UnitOfWork, account_id: int | None, limit: int, offset: int
) -> tuple[list[ManifestRow], int]:
    """Return a page of manifests, newest first, and the total."""
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
    """Return shipments not handed over, oldest first."""
    columns = (shipments.c.id, shipments.c.account_id, shipments.c.messages)
    statement = select(*columns).where(*_left_open(day, account_ids)).order_by(shipments.c.id).limit(most)
    return await work.all(statement, LeftOpenRow)


async def count_left_open(work: UnitOfWork, day: date, account_ids: Collection[int]) -> int:
    """Return the number of shipments not handed over."""
    return await work.value(select(func.count()).select_from(shipments).where(*_left_open(day, account_ids)))
