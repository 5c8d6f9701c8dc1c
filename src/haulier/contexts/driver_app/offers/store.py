"""Tables of on-demand orders, of the offers to drivers, and of the drivers' duty."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.driver_app.offers.rules import InstantJobStatus, OfferStatus
from haulier.contexts.driver_app.positions.queries import positions
from haulier.contexts.fleet.public import drivers
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

rider_duties = tenant_table(
    "rider_duty",
    Column("driver_id", Id, nullable=False),
    Column("available", Boolean, nullable=False),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "driver_id"),
)

instant_jobs = tenant_table(
    "instant_job",
    Column("order_id", Id, nullable=False),
    Column("depot_id", Id, nullable=False),
    Column("status", String(10), nullable=False),
    Column("round", Integer, nullable=False),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("driver_id", Id),
    Column("route_id", Id),
    Column("asked_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Index(None, "client_id", "status"),
    Index(None, "client_id", "driver_id"),
)
"""`lat` and `lng` are where the rider starts the job: the shipper's address, or the depot where the parcel lies."""
personal_data(
    instant_jobs,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"lat": lambda row, keys: round(row.lat, 1), "lng": lambda row, keys: round(row.lng, 1)},
    plain=("status",),
)

partial_unique_index("uq_instant_job_open_order", "status = 'open'", instant_jobs.c.order_id)
"""An order has one open job at a time."""

instant_offers = tenant_table(
    "instant_offer",
    Column("job_id", Id, nullable=False, info=VOLATILE),
    Column("driver_id", Id, nullable=False),
    Column("round", Integer, nullable=False),
    Column("status", String(10), nullable=False),
    Column("away_m", Integer, nullable=False),
    Column("offered_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Column("answered_at", UTCDateTime),
    Column("reason", String(REASON_MAX)),
    UniqueConstraint("client_id", "job_id", "driver_id"),
    Index(None, "client_id", "driver_id", "status"),
)
personal_data(
    instant_offers,
    RecordKind.DRIVER_EVENTS,
    by={"driver_id": PersonKey.DRIVER},
    erased={"reason": None},
    plain=("status",),
)


class AvailableRiderRow(Row):
    """A rider who can be offered an order, and where they are."""

    driver_id: int
    lat: float
    lng: float


class InstantJobRow(Row):
    """An order that is offered on demand."""

    id: int
    order_id: int
    depot_id: int
    status: str
    round: int
    lat: float
    lng: float
    driver_id: int | None
    route_id: int | None
    created_at: datetime
    ended_at: datetime | None


class InstantOfferRow(Row):
    """An offer to one rider."""

    id: int
    job_id: int
    driver_id: int
    status: str
    offered_at: datetime
    expires_at: datetime
    answered_at: datetime | None


class OfferWithJobRow(InstantOfferRow):
    """An offer with the order, place and status of its job."""

    order_id: int
    depot_id: int
    lat: float
    lng: float
    job_status: str


_duty = select(rider_duties).where(in_param(rider_duties.c.driver_id, "ids"))
_available_riders = (
    select(positions.c.driver_id, positions.c.lat, positions.c.lng)
    .join(rider_duties, rider_duties.c.driver_id == positions.c.driver_id)
    .join(drivers, drivers.c.id == positions.c.driver_id)
    .where(rider_duties.c.available.is_(True), drivers.c.active.is_(True), drivers.c.contractor_id.is_(None))
    .where(positions.c.occurred_at >= bindparam("fresh"))
    .where(positions.c.lat.between(bindparam("south"), bindparam("north")))
    .where(
        positions.c.driver_id.not_in(
            select(instant_offers.c.driver_id).where(instant_offers.c.job_id == bindparam("job"))
        ),
    )
)
_job = select(instant_jobs).where(instant_jobs.c.id == bindparam("job"))
_job_locked = _job.with_for_update()
_newest_jobs = select(instant_jobs).order_by(instant_jobs.c.id.desc()).limit(bindparam("most"))
_unasked_jobs = (
    select(instant_jobs)
    .where(instant_jobs.c.status == InstantJobStatus.OPEN)
    .where(
        instant_jobs.c.id.not_in(select(instant_offers.c.job_id).where(instant_offers.c.status == OfferStatus.OFFERED))
    )
    .order_by(instant_jobs.c.id)
    .limit(bindparam("most"))
)
_jobs_taken = (
    select(instant_jobs)
    .where(instant_jobs.c.driver_id == bindparam("driver"), instant_jobs.c.status == InstantJobStatus.TAKEN)
    .order_by(instant_jobs.c.id.desc())
    .limit(bindparam("most"))
)
_with_job = select(
    instant_offers,
    instant_jobs.c.order_id,
    instant_jobs.c.depot_id,
    instant_jobs.c.lat,
    instant_jobs.c.lng,
    instant_jobs.c.status.label("job_status"),
).join(instant_jobs, instant_jobs.c.id == instant_offers.c.job_id)
_offer = _with_job.where(instant_offers.c.id == bindparam("offer"))
_open_offers_of_driver = (
    _with_job.where(instant_offers.c.driver_id == bindparam("driver"), instant_offers.c.status == OfferStatus.OFFERED)
    .where(instant_offers.c.expires_at > bindparam("now"), instant_jobs.c.status == InstantJobStatus.OPEN)
    .order_by(instant_offers.c.expires_at, instant_offers.c.id)
)
_offers_of_jobs = select(instant_offers).where(in_param(instant_offers.c.job_id, "ids")).order_by(instant_offers.c.id)
_close = (
    update(instant_offers)
    .where(instant_offers.c.job_id == bindparam("job"), instant_offers.c.status == OfferStatus.OFFERED)
    .values(status=bindparam("reached"))
)
_answer = (
    update(instant_offers)
    .where(instant_offers.c.id == bindparam("offer"), instant_offers.c.status == OfferStatus.OFFERED)
    .values(status=bindparam("reached"), answered_at=bindparam("at"), reason=bindparam("why"))
)


async def get_rider_duties(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, bool]:
    """Return by driver whether orders can be offered to them."""
    rows = await work.all(_duty, ids=list(driver_ids)) if driver_ids else []
    return {row.driver_id: bool(row.available) for row in rows}


async def upsert_rider_duty(work: UnitOfWork, driver_id: int, available: bool, now: datetime) -> None:
    """Write whether a driver can be offered orders."""
    await work.upsert(rider_duties, ("driver_id",), driver_id=driver_id, available=available, changed_at=now)


async def list_available_riders(
    work: UnitOfWork, job_id: int, *, fresh: datetime, south: float, north: float
) -> Sequence[AvailableRiderRow]:
    """Return available drivers between two latitudes without an offer of this job.

    Their position is not older than `fresh`.
    """
    return await work.all(_available_riders, AvailableRiderRow, job=job_id, fresh=fresh, south=south, north=north)


async def insert_instant_job(work: UnitOfWork, **values: Any) -> int:
    """Write an open job. Raises `UniqueConflict` when the order has one already."""
    return await work.insert(instant_jobs, status=InstantJobStatus.OPEN, round=0, **values)


async def get_instant_job(work: UnitOfWork, job_id: int, *, lock: bool = False) -> InstantJobRow | None:
    """A job, or None."""
    return await work.first(_job_locked if lock else _job, InstantJobRow, job=job_id)


async def update_instant_job(work: UnitOfWork, job_id: int, **values: Any) -> None:
    """Change columns of a job."""
    await work.run(update(instant_jobs).where(instant_jobs.c.id == bindparam("job")).values(**values), job=job_id)


async def list_newest_jobs(work: UnitOfWork, most: int) -> Sequence[InstantJobRow]:
    """The newest jobs."""
    return await work.all(_newest_jobs, InstantJobRow, most=most)


async def list_unasked_jobs(work: UnitOfWork, most: int) -> Sequence[InstantJobRow]:
    """Return the oldest open jobs without an open offer."""
    return await work.all(_unasked_jobs, InstantJobRow, most=most)


async def list_jobs_taken_by(work: UnitOfWork, driver_id: int, most: int) -> Sequence[InstantJobRow]:
    """The newest jobs that a rider took."""
    return await work.all(_jobs_taken, InstantJobRow, driver=driver_id, most=most)


async def insert_instant_offers(work: UnitOfWork, rows: Sequence[dict[str, Any]]) -> None:
    """Write offers."""
    await work.insert_many(instant_offers, [{"status": OfferStatus.OFFERED, **row} for row in rows])


async def get_instant_offer(work: UnitOfWork, offer_id: int) -> OfferWithJobRow | None:
    """An offer with the order, place and status of its job, or None."""
    return await work.first(_offer, OfferWithJobRow, offer=offer_id)


async def list_open_instant_offers(work: UnitOfWork, driver_id: int, now: datetime) -> Sequence[OfferWithJobRow]:
    """The offers that a rider can answer now; the one that expires first comes first."""
    return await work.all(_open_offers_of_driver, OfferWithJobRow, driver=driver_id, now=now)


async def list_offers_of_jobs(work: UnitOfWork, job_ids: Collection[int]) -> Sequence[InstantOfferRow]:
    """Every offer of these jobs."""
    return await work.all(_offers_of_jobs, InstantOfferRow, ids=list(job_ids)) if job_ids else []


async def close_instant_offers(work: UnitOfWork, job_id: int, status: OfferStatus) -> int:
    """Give every open offer of a job this status. Returns how many."""
    return await work.run(_close, job=job_id, reached=status)


async def answer_instant_offer(
    work: UnitOfWork, offer_id: int, status: OfferStatus, now: datetime, reason: str | None = None
) -> int:
    """Write a rider's answer. Returns 0 when the offer was no longer open."""
    return await work.run(_answer, offer=offer_id, reached=status, at=now, why=reason)
