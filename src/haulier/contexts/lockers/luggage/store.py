"""Tables and statements of luggage bookings.

A bag in a locker has a compartment in the form of a parcel at either end.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    LargeBinary,
    String,
    bindparam,
    case,
    cast,
    func,
    or_,
    select,
    update,
)
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.lockers.luggage.contract import TAG_MAX, TRAVEL_MAX
from haulier.contexts.lockers.luggage.rules import BagStatus, BookingStatus
from haulier.contexts.lockers.sites.store import EMAIL_MAX, PHONE_MAX, boxes, cabinets, parcels
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    RecordKind,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.pagination import MAX_COUNT

STATUS_MAX, SERVICE_MAX = 20, 40


class LuggageTermsRow(Record, table="luggage_settings", items=[Unique("client_id")]):
    """Settings of the luggage relay."""

    pay_minutes: int
    free_cancel_hours: int
    late_refund_percent: int
    pick_days: int
    claim_days: int
    liability_minor: BigInt


settings = LuggageTermsRow.table


class LuggageRow(
    Record,
    table="luggage_booking",
    items=[
        Unique("client_id", "tracking_number"),
        Index("ix_luggage_booking_customer", "client_id", "customer_id", "id"),
        Index("ix_luggage_booking_status", "client_id", "status", "id"),
        Index("ix_luggage_booking_driver", "client_id", "driver_id", "id"),
        Index("ix_luggage_booking_from", "client_id", "from_site_id"),
        Index("ix_luggage_booking_to", "client_id", "to_site_id"),
        Index("ix_luggage_booking_sold", "client_id", "sold_on"),
    ],
):
    """A booking.

    `door_stuck`: a compartment did not open during drop-off, and no other was free.
    """

    customer_id: Reference
    driver_id: Reference | None
    tracking_number: Annotated[str, Column("tracking_number", String(40), nullable=False, info=VOLATILE)]
    service_code: Annotated[str, String(SERVICE_MAX)]
    form_values: dict[str, Any]
    status: Annotated[str, String(STATUS_MAX)]
    end_reason: Annotated[str, String(STATUS_MAX)] | None
    traveller_name: Annotated[str, String(NAME_MAX)]
    traveller_email: Annotated[str, String(EMAIL_MAX)] | None
    traveller_phone: Annotated[str, String(PHONE_MAX)] | None
    language: Annotated[str, String(10)] | None
    travel_reference: Annotated[str, String(TRAVEL_MAX)] | None
    note: Annotated[str, String(NOTE_MAX)]
    origin: dict[str, Any]
    destination: dict[str, Any]
    from_site_id: Reference | None
    to_site_id: Reference | None
    drop_from: datetime
    drop_until: datetime
    pick_from: datetime
    pick_until: datetime | None
    bag_count: int
    price_minor: BigInt
    price_lines: list[dict[str, Any]]
    refunded_minor: BigInt
    currency: Annotated[str, String(3)]
    transfer_id: Reference | None
    pay_until: datetime
    pin_sha256: Annotated[bytes | None, Column("pin_sha256", LargeBinary(32), info=VOLATILE)]
    pin_nonce: Annotated[bytes | None, Column("pin_nonce", LargeBinary(16), info=VOLATILE)]
    wrong_pins: int
    pin_rests_until: datetime | None
    late: bool
    door_stuck: bool
    sold_on: date | None
    created_at: datetime
    paid_at: datetime | None
    received_at: datetime | None
    arrived_at: datetime | None
    ended_at: datetime | None


bookings = LuggageRow.table

bags = tenant_table(
    "luggage_bag",
    Column("booking_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("tag", String(TAG_MAX), nullable=False, info=VOLATILE),
    Column("size", String(2), nullable=False),
    Column("description", String(NAME_MAX)),
    Column("status", String(STATUS_MAX), nullable=False),
    Column("damaged", Boolean, nullable=False),
    Column("photo_id", Id),
    Column("drop_parcel_id", Id),
    Column("pick_parcel_id", Id),
    Column("scanned_by", Id),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "booking_id", "number"),
    Index("ix_luggage_bag_tag", "client_id", "tag"),
    Index("ix_luggage_bag_drop", "client_id", "drop_parcel_id"),
    Index("ix_luggage_bag_pick", "client_id", "pick_parcel_id"),
)
"""`drop_parcel_id` and `pick_parcel_id` are the parcels of its compartments at either end. `scanned_by` is the user who
had the door opened.
"""
partial_unique_index("uq_luggage_bag_tag", "ended_at IS NULL", bags.c.tag)
plain_columns(bags, "tag", "size", "description", "status")


class LuggageHandoverRow(
    Record, table="luggage_handover", items=[Index("ix_luggage_handover_booking", "client_id", "booking_id", "id")]
):
    """A link of the custody chain."""

    booking_id: Reference
    tag: Annotated[str, Column("tag", String(TAG_MAX), nullable=False, info=VOLATILE)]
    step: Annotated[str, String(STATUS_MAX)]
    holder: Annotated[str, String(STATUS_MAX)]
    user_id: Reference | None
    proof: Annotated[str, String(STATUS_MAX)] | None
    note: Annotated[str, String(NOTE_MAX)] | None
    at: datetime


handovers = LuggageHandoverRow.table
personal_data(
    handovers,
    RecordKind.LUGGAGE_BOOKINGS,
    by={"user_id": PersonKey.USER},
    erased={"note": None},
    plain=("tag", "step", "holder", "proof"),
)


class LuggageClaimRow(
    Record,
    table="luggage_claim",
    items=[
        Index("ix_luggage_claim_booking", "client_id", "booking_id"),
        Index("ix_luggage_claim_customer", "client_id", "customer_id", "id"),
        Index("ix_luggage_claim_status", "client_id", "status", "id"),
    ],
):
    """A claim.

    `about` is the tag of the bag, or empty for all bags.
    """

    booking_id: Reference
    customer_id: Reference
    kind: Annotated[str, String(STATUS_MAX)]
    about: Annotated[str, Column("about", String(TAG_MAX), nullable=False, info=VOLATILE)]
    status: Annotated[str, String(STATUS_MAX)]
    note: Annotated[str, String(NOTE_MAX)]
    reason: Annotated[str, String(NOTE_MAX)] | None
    refunded_minor: BigInt
    compensation_minor: BigInt
    currency: Annotated[str, String(3)]
    created_at: datetime
    ended_at: datetime | None


claims = LuggageClaimRow.table
partial_unique_index(
    "uq_luggage_claim_open", "status IN ('open', 'accepted')", claims.c.booking_id, claims.c.kind, claims.c.about
)
plain_columns(claims, "kind", "about", "status", "currency")
personal_data(
    bookings,
    RecordKind.LUGGAGE_BOOKINGS,
    by={
        "customer_id": PersonKey.USER,
        "traveller_name": PersonKey.NAME,
        "traveller_email": PersonKey.EMAIL,
        "traveller_phone": PersonKey.PHONE,
    },
    erased={
        "traveller_name": ERASED,
        "traveller_email": None,
        "traveller_phone": None,
        "travel_reference": None,
        "note": ERASED,
        "form_values": lambda row, keys: redacted(row.form_values),
        "origin": lambda row, keys: redacted(row.origin),
        "destination": lambda row, keys: redacted(row.destination),
    },
    in_use=bookings.c.ended_at.is_(None),
    plain=(
        *("tracking_number", "service_code", "status", "end_reason"),
        *("language", "price_lines", "currency", "pin_sha256", "pin_nonce"),
    ),
    secret=frozenset({"pin_sha256", "pin_nonce"}),
)
personal_data(
    claims,
    RecordKind.LUGGAGE_BOOKINGS,
    by={"customer_id": PersonKey.USER},
    erased={"note": ERASED, "reason": None},
    in_use=claims.c.ended_at.is_(None),
)
retained(
    RecordKind.LUGGAGE_BOOKINGS,
    bookings.c.ended_at,
    default_days=1095,
    minimum_days=30,
    children=(bags.c.booking_id, handovers.c.booking_id, claims.c.booking_id),
)


class LuggageBagRow(Row):
    """A bag and its compartments at either end."""

    id: int
    booking_id: int
    number: int
    tag: str
    size: str
    description: str | None
    status: str
    damaged: bool
    photo_id: int | None
    drop_parcel_id: int | None
    pick_parcel_id: int | None
    scanned_by: int | None
    ended_at: datetime | None
    cabinet: str | None
    box: int | None
    """Number of the compartment that holds the bag, or is reserved for it."""


class LuggageSumsRow(Row):
    """Luggage relayed with a service, on a day or to a destination."""

    key: str
    currency: str
    bookings: int
    bags: int
    gross_minor: int
    refunded_minor: int
    collected: int
    late: int
    lost: int
    cancelled: int


_b = bookings.c
_at_origin = bags.c.status.in_((BagStatus.EXPECTED.value, BagStatus.RECEIVED.value))
_now_at = case((_at_origin, bags.c.drop_parcel_id), else_=bags.c.pick_parcel_id)
_placed = select(
    *(column for column in bags.c if column.name != "client_id"),
    cabinets.c.code.label("cabinet"),
    boxes.c.number.label("box"),
).select_from(
    bags.outerjoin(parcels, (parcels.c.id == _now_at) & parcels.c.ended_at.is_(None))
    .outerjoin(boxes, boxes.c.id == parcels.c.box_id)
    .outerjoin(cabinets, cabinets.c.id == boxes.c.cabinet_id)
)
_bags = _placed.where(bags.c.booking_id == bindparam("booking")).order_by(bags.c.number)
_bag_of_parcel = _placed.where(
    or_(bags.c.drop_parcel_id == bindparam("parcel"), bags.c.pick_parcel_id == bindparam("parcel"))
)
_chain = select(handovers).where(handovers.c.booking_id == bindparam("booking")).order_by(handovers.c.id)
_settings = select(settings)


async def update_booking(work: UnitOfWork, booking_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a booking."""
    changed = update(bookings).where(_b.id == bindparam("booking")).values(**values)
    await work.run(changed, booking=booking_id)


async def insert_bag(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a bag. Raises `UniqueConflict` for the tag of another bag in transit."""
    return await work.insert(bags, **values)


async def update_bag(work: UnitOfWork, bag_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a bag."""
    await work.run(update(bags).where(bags.c.id == bindparam("bag")).values(**values), bag=bag_id)


async def list_bag_rows(work: UnitOfWork, booking_id: int) -> Sequence[LuggageBagRow]:
    """List the bags of a booking in the order of entry."""
    return await work.all(_bags, LuggageBagRow, booking=booking_id)


async def find_bag_of_parcel(work: UnitOfWork, parcel_id: int) -> LuggageBagRow | None:
    """Return the bag whose compartment is this parcel, or None."""
    return await work.first(_bag_of_parcel, LuggageBagRow, parcel=parcel_id)


async def list_handover_rows(work: UnitOfWork, booking_id: int) -> Sequence[LuggageHandoverRow]:
    """List the chain of custody of a booking in chronological order."""
    return await work.all(_chain, LuggageHandoverRow, booking=booking_id)


async def list_booking_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, tag: str | None, limit: int, offset: int
) -> tuple[Sequence[LuggageRow], int]:
    """List a page of matching bookings, newest first, with their count.

    Counting stops one above `MAX_COUNT`. With `tag`, only bookings of bags that have or had it.
    """
    conditions: list[ColumnElement[bool]] = [bookings.c[name] == value for name, value in wanted.items()]
    if tag is not None:
        conditions.append(_b.id.in_(select(bags.c.booking_id).where(bags.c.tag == tag)))
    page = select(bookings).where(*conditions).order_by(_b.id.desc()).limit(limit).offset(offset)
    counted = select(_b.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, LuggageRow), await work.value(select(func.count()).select_from(counted))


async def get_settings_row(work: UnitOfWork) -> LuggageTermsRow | None:
    """Return the settings of the luggage relay, or None."""
    return await work.first(_settings, LuggageTermsRow)


async def write_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert or update the settings of the luggage relay."""
    await work.upsert(settings, (), **values)


_GROUPS: Mapping[str, Any] = {
    "service": _b.service_code,
    "day": cast(_b.sold_on, String),
    "site": cast(_b.to_site_id, String),
}


def _counted(status: BookingStatus) -> Any:
    return cast(func.sum(case((_b.status == status.value, 1), else_=0)), BigInteger).label(status.value)


async def list_sum_rows(
    work: UnitOfWork, group: str, first: date, last: date, *, most: int
) -> Sequence[LuggageSumsRow]:
    """Sum payments of a period by service, day or site, highest first."""
    key, total = func.coalesce(_GROUPS[group], ""), func.sum(_b.price_minor)
    sums = (
        select(
            key.label("key"),
            _b.currency,
            func.count(_b.id).label("bookings"),
            cast(func.sum(_b.bag_count), BigInteger).label("bags"),
            cast(total, BigInteger).label("gross_minor"),
            cast(func.sum(_b.refunded_minor), BigInteger).label("refunded_minor"),
            _counted(BookingStatus.COLLECTED),
            cast(func.sum(case((_b.late, 1), else_=0)), BigInteger).label("late"),
            _counted(BookingStatus.LOST),
            _counted(BookingStatus.CANCELLED),
        )
        .where(_b.sold_on >= bindparam("first", first, Date), _b.sold_on <= bindparam("last", last, Date))
        .group_by(key, _b.currency)
        .order_by(total.desc(), key)
        .limit(most)
    )
    return await work.all(sums, LuggageSumsRow)


async def list_claim_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LuggageClaimRow], int]:
    """List a page of matching claims, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [claims.c[name] == value for name, value in wanted.items()]
    page = select(claims).where(*conditions).order_by(claims.c.id.desc()).limit(limit).offset(offset)
    counted = select(claims.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, LuggageClaimRow), await work.value(select(func.count()).select_from(counted))
