"""Orders offered on demand, to whom, and what each said; and who is there to be asked."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, UniqueConstraint, bindparam, select, update

from haulier.contexts.dispatch.drivers.store import drivers
from haulier.contexts.dispatch.fields import REASON_MAX
from haulier.contexts.dispatch.riders.rules.offering import InstantJobStatus, OfferStatus
from haulier.contexts.dispatch.riders.store.positions import positions
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table, unique_while
from haulier.kernel.data.work import Work

duties = tenant_table(
    "rider_duty",
    Column("driver_id", Id, nullable=False, unique=True),
    Column("available", Boolean, nullable=False),
    Column("changed_at", UTCDateTime, nullable=False),
)

jobs = tenant_table(
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

unique_while("uq_instant_job_open_order", "status = 'open'", jobs.c.order_id)
"""An order is offered once at a time."""

offers = tenant_table(
    "instant_offer",
    Column("job_id", Id, nullable=False),
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

_duty = select(duties).where(among(duties.c.driver_id, "ids"))
_set_duty = (
    update(duties)
    .where(duties.c.driver_id == bindparam("driver"))
    .values(available=bindparam("on"), changed_at=bindparam("at"))
)
_ready = (
    select(positions.c.driver_id, positions.c.lat, positions.c.lng)
    .join(duties, duties.c.driver_id == positions.c.driver_id)
    .join(drivers, drivers.c.id == positions.c.driver_id)
    .where(duties.c.available.is_(True), drivers.c.active.is_(True), drivers.c.contractor_id.is_(None))
    .where(positions.c.occurred_at >= bindparam("fresh"))
    .where(positions.c.lat.between(bindparam("south"), bindparam("north")))
    .where(
        positions.c.driver_id.not_in(select(offers.c.driver_id).where(offers.c.job_id == bindparam("job"))),
    )
)
_job = select(jobs).where(jobs.c.id == bindparam("job"))
_locked = _job.with_for_update()
_listed = select(jobs).order_by(jobs.c.id.desc()).limit(bindparam("most"))
_taken = (
    select(jobs)
    .where(jobs.c.driver_id == bindparam("driver"), jobs.c.status == InstantJobStatus.TAKEN)
    .order_by(jobs.c.id.desc())
    .limit(bindparam("most"))
)
_with_job = select(
    offers,
    jobs.c.order_id,
    jobs.c.lat,
    jobs.c.lng,
    jobs.c.status.label("job_status"),
).join(jobs, jobs.c.id == offers.c.job_id)
_offer = _with_job.where(offers.c.id == bindparam("offer"))
_mine = (
    _with_job.where(offers.c.driver_id == bindparam("driver"), offers.c.status == OfferStatus.OFFERED)
    .where(offers.c.expires_at > bindparam("now"), jobs.c.status == InstantJobStatus.OPEN)
    .order_by(offers.c.expires_at, offers.c.id)
)
_of_jobs = select(offers).where(among(offers.c.job_id, "ids")).order_by(offers.c.id)
_close = (
    update(offers)
    .where(offers.c.job_id == bindparam("job"), offers.c.status == OfferStatus.OFFERED)
    .values(status=bindparam("reached"))
)
_answer = (
    update(offers)
    .where(offers.c.id == bindparam("offer"), offers.c.status == OfferStatus.OFFERED)
    .values(status=bindparam("reached"), answered_at=bindparam("at"), reason=bindparam("why"))
)


async def duty(work: Work, driver_ids: Collection[int]) -> dict[int, bool]:
    """Whether these drivers can be offered orders."""
    rows = await work.all(_duty, ids=list(driver_ids)) if driver_ids else []
    return {row.driver_id: bool(row.available) for row in rows}


async def set_duty(work: Work, driver_id: int, available: bool, now: datetime) -> None:
    """Say whether a driver can be offered orders."""
    if not await work.run(_set_duty, driver=driver_id, on=available, at=now):
        await work.insert(duties, driver_id=driver_id, available=available, changed_at=now)


async def ready(work: Work, job_id: int, *, fresh: datetime, south: float, north: float) -> Sequence[Any]:
    """Riders between two latitudes who can be asked and were not yet: driver_id, lat, lng."""
    return await work.all(_ready, job=job_id, fresh=fresh, south=south, north=north)


async def add_job(work: Work, **values: Any) -> int:
    """Write a job. Raises `Conflict` when the order is offered already."""
    return await work.insert(jobs, status=InstantJobStatus.OPEN, round=0, **values)


async def job(work: Work, job_id: int, *, lock: bool = False) -> Any:
    """A job, or None."""
    return await work.first(_locked if lock else _job, job=job_id)


async def change_job(work: Work, job_id: int, **values: Any) -> None:
    """Change columns of a job."""
    await work.run(update(jobs).where(jobs.c.id == bindparam("job")).values(**values), job=job_id)


async def listed(work: Work, most: int) -> Sequence[Any]:
    """The newest jobs."""
    return await work.all(_listed, most=most)


async def taken_by(work: Work, driver_id: int, most: int) -> Sequence[Any]:
    """The newest jobs that a rider took."""
    return await work.all(_taken, driver=driver_id, most=most)


async def add_offers(work: Work, rows: Sequence[dict[str, Any]]) -> None:
    """Write offers."""
    await work.insert_many(offers, [{"status": OfferStatus.OFFERED, **row} for row in rows])


async def offer(work: Work, offer_id: int) -> Any:
    """An offer with its job's order, place and status, or None."""
    return await work.first(_offer, offer=offer_id)


async def open_offers(work: Work, driver_id: int, now: datetime) -> Sequence[Any]:
    """What a rider can answer now, what expires first first."""
    return await work.all(_mine, driver=driver_id, now=now)


async def offers_of(work: Work, job_ids: Collection[int]) -> Sequence[Any]:
    """Every offer of these jobs."""
    return await work.all(_of_jobs, ids=list(job_ids)) if job_ids else []


async def close_offers(work: Work, job_id: int, status: OfferStatus) -> int:
    """End every open offer of a job. Returns how many."""
    return await work.run(_close, job=job_id, reached=status)


async def answer(work: Work, offer_id: int, status: OfferStatus, now: datetime, reason: str | None = None) -> int:
    """Write what a rider said. Returns 0 when the offer was no longer open."""
    return await work.run(_answer, offer=offer_id, reached=status, at=now, why=reason)
