"""Orders offered on demand, to whom, and what each said; and who is there to be asked."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.driver_app.offers.rules import InstantJobStatus, OfferStatus
from haulier.contexts.driver_app.positions.store import positions
from haulier.contexts.fleet.drivers.store import drivers
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

rider_duties = tenant_table(
    "rider_duty",
    Column("driver_id", Id, nullable=False, unique=True),
    Column("available", Boolean, nullable=False),
    Column("changed_at", UTCDateTime, nullable=False),
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
"""`lat` and `lng` are where the rider starts the job: the shipper's door, or the depot where the parcel lies."""

partial_unique_index("uq_instant_job_open_order", "status = 'open'", instant_jobs.c.order_id)
"""An order is offered once at a time."""

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

_duty = select(rider_duties).where(in_param(rider_duties.c.driver_id, "ids"))
_set_duty = (
    update(rider_duties)
    .where(rider_duties.c.driver_id == bindparam("driver"))
    .values(available=bindparam("on"), changed_at=bindparam("at"))
)
_ready = (
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
_locked = _job.with_for_update()
_listed = select(instant_jobs).order_by(instant_jobs.c.id.desc()).limit(bindparam("most"))
_taken = (
    select(instant_jobs)
    .where(instant_jobs.c.driver_id == bindparam("driver"), instant_jobs.c.status == InstantJobStatus.TAKEN)
    .order_by(instant_jobs.c.id.desc())
    .limit(bindparam("most"))
)
_with_job = select(
    instant_offers,
    instant_jobs.c.order_id,
    instant_jobs.c.lat,
    instant_jobs.c.lng,
    instant_jobs.c.status.label("job_status"),
).join(instant_jobs, instant_jobs.c.id == instant_offers.c.job_id)
_offer = _with_job.where(instant_offers.c.id == bindparam("offer"))
_mine = (
    _with_job.where(instant_offers.c.driver_id == bindparam("driver"), instant_offers.c.status == OfferStatus.OFFERED)
    .where(instant_offers.c.expires_at > bindparam("now"), instant_jobs.c.status == InstantJobStatus.OPEN)
    .order_by(instant_offers.c.expires_at, instant_offers.c.id)
)
_of_jobs = select(instant_offers).where(in_param(instant_offers.c.job_id, "ids")).order_by(instant_offers.c.id)
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
    """Whether these drivers can be offered orders."""
    rows = await work.all(_duty, ids=list(driver_ids)) if driver_ids else []
    return {row.driver_id: bool(row.available) for row in rows}


async def upsert_rider_duty(work: UnitOfWork, driver_id: int, available: bool, now: datetime) -> None:
    """Say whether a driver can be offered orders."""
    if not await work.run(_set_duty, driver=driver_id, on=available, at=now):
        await work.insert(rider_duties, driver_id=driver_id, available=available, changed_at=now)


async def list_available_riders(
    work: UnitOfWork, job_id: int, *, fresh: datetime, south: float, north: float
) -> Sequence[Any]:
    """Riders between two latitudes who can be asked and were not yet: driver_id, lat, lng."""
    return await work.all(_ready, job=job_id, fresh=fresh, south=south, north=north)


async def insert_instant_job(work: UnitOfWork, **values: Any) -> int:
    """Write a job. Raises `Conflict` when the order is offered already."""
    return await work.insert(instant_jobs, status=InstantJobStatus.OPEN, round=0, **values)


async def get_instant_job(work: UnitOfWork, job_id: int, *, lock: bool = False) -> Any:
    """A job, or None."""
    return await work.first(_locked if lock else _job, job=job_id)


async def update_instant_job(work: UnitOfWork, job_id: int, **values: Any) -> None:
    """Change columns of a job."""
    await work.run(update(instant_jobs).where(instant_jobs.c.id == bindparam("job")).values(**values), job=job_id)


async def list_newest_jobs(work: UnitOfWork, most: int) -> Sequence[Any]:
    """The newest jobs."""
    return await work.all(_listed, most=most)


async def list_jobs_taken_by(work: UnitOfWork, driver_id: int, most: int) -> Sequence[Any]:
    """The newest jobs that a rider took."""
    return await work.all(_taken, driver=driver_id, most=most)


async def insert_instant_offers(work: UnitOfWork, rows: Sequence[dict[str, Any]]) -> None:
    """Write offers."""
    await work.insert_many(instant_offers, [{"status": OfferStatus.OFFERED, **row} for row in rows])


async def get_instant_offer(work: UnitOfWork, offer_id: int) -> Any:
    """An offer with its job's order, place and status, or None."""
    return await work.first(_offer, offer=offer_id)


async def list_open_instant_offers(work: UnitOfWork, driver_id: int, now: datetime) -> Sequence[Any]:
    """What a rider can answer now, what expires first first."""
    return await work.all(_mine, driver=driver_id, now=now)


async def list_offers_of_jobs(work: UnitOfWork, job_ids: Collection[int]) -> Sequence[Any]:
    """Every offer of these jobs."""
    return await work.all(_of_jobs, ids=list(job_ids)) if job_ids else []


async def close_instant_offers(work: UnitOfWork, job_id: int, status: OfferStatus) -> int:
    """End every open offer of a job. Returns how many."""
    return await work.run(_close, job=job_id, reached=status)


async def answer_instant_offer(
    work: UnitOfWork, offer_id: int, status: OfferStatus, now: datetime, reason: str | None = None
) -> int:
    """Write what a rider said. Returns 0 when the offer was no longer open."""
    return await work.run(_answer, offer=offer_id, reached=status, at=now, why=reason)
