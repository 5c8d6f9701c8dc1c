"""Seeded business: a client, an admin with a token, two contractors, and orders.

Each order has twelve events. Rows are inserted directly, because creating orders one by one would take longer than
measuring.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec

from bench.projections import JOURNEY_STEPS, TORONTO
from haulier.adapters.database import database_for
from haulier.contexts.identity import public as access
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders
from haulier.contexts.otep.projections.rules import sha256_hex
from haulier.contexts.otep.timeline.contract import Location, Source, TrackingEvent
from haulier.contexts.tracking import public as tracking
from haulier.contexts.tracking.timelines.store.events import insert_events
from haulier.contexts.tracking.timelines.store.subjects import insert_subjects
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.enums import Account, Module

INSERT_CHUNK = 1000
PASSWORD = "correct-hammer-88"
"""Password of the admin."""
EVENTS_PER_ORDER = len(JOURNEY_STEPS)
MOST_TRACKED = 100_000
"""Further orders have no events: reads touch one parcel, and twelve million events take long to store."""
DEPOT = msgspec.convert(TORONTO, Location)
EASTERN = timezone(timedelta(hours=-4))
ReportProgress = Callable[[int], None]


@dataclass
class Business:
    """Facts about the seeded rows that requests need."""

    client_id: int = 0
    token: str = ""
    provider_key: str = ""
    contractors: list[int] = field(default_factory=list)
    stored: int = 0
    waiting: list[int] = field(default_factory=list)
    """Orders that may be assigned to a contractor: every second one."""
    ids: list[int] = field(default_factory=list)

    @property
    def tracked(self) -> int:
        """Return the number of orders with events, which are the first ones."""
        return min(self.stored, MOST_TRACKED)

    @staticmethod
    def number(at: int) -> str:
        """Return the tracking number of the order at an index."""
        return f"HLB{at:09d}"


def seed_orders(url: str, business: Business, size: int, tell: ReportProgress) -> None:
    """Add orders to a database up to a size, and users the first time."""
    asyncio.run(_seed_orders(url, business, size, tell))


async def _seed_orders(url: str, business: Business, size: int, tell: ReportProgress) -> None:
    database = database_for(url)
    await database.open()
    try:
        if not business.client_id:
            await seed_people(database, business)
        while business.stored < size:
            first, last = business.stored, min(size, business.stored + INSERT_CHUNK)
            async with database.write(business.client_id) as work:
                ids = await _orders(work, first, last)
            business.ids += ids
            business.waiting += [id for at, id in enumerate(ids, first) if at % 2]
            business.stored = last
            tell(last)
    finally:
        await database.close()
    await analyse(url)


async def seed_people(database: Database, business: Business) -> None:
    """Insert a client, an admin with a token, and two contractors."""
    now = datetime.now(UTC)
    async with database.write(None) as plain:
        work = plain.without_tenant_filter("the benchmark makes its own client")
        business.client_id = await access.create_client(
            work, code="bench", name="Bench", now=now, time_zone="America/Toronto", currency="CAD", modules=Module
        )
        people = {
            name: await access.provision_user(
                work,
                client_id=business.client_id,
                email=f"{name}@bench.example",
                name=name,
                account=account,
                now=now,
                password=PASSWORD if name == "admin" else None,
            )
            for name, account in (
                ("admin", Account.CLIENT_ADMIN),
                ("one", Account.CONTRACTOR),
                ("two", Account.CONTRACTOR),
            )
        }
        business.contractors = [people["one"], people["two"]]
        business.token = await access.issue_token(
            work, client_id=business.client_id, user_id=people["admin"], account=Account.CLIENT_ADMIN, now=now
        )
        issued = await tracking.create_provider_key(
            work, client_id=business.client_id, name="Swift Post", now=now, per_minute=10**6
        )
        business.provider_key = issued.key


async def _orders(work: UnitOfWork, first: int, last: int) -> list[int]:
    now = datetime.now(UTC)
    places = range(first, last)
    ids = [row.id for row in await orders.insert_orders(work, [_order(at, now) for at in places])]
    pairs = list(zip(places, ids, strict=True))
    await orders.insert_order_packages(work, [_package(at, id) for at, id in pairs])
    await orders.insert_order_changes(work, [_change(id, now) for id in ids])
    tracked = [(at, id) for at, id in pairs if at < MOST_TRACKED]
    subject_ids = await insert_subjects(work, [_subject(at, id, now) for at, id in tracked])
    await insert_events(
        work, [(id, _event(id, at, now)) for id in subject_ids.values() for at in range(EVENTS_PER_ORDER)]
    )
    return ids


def _order(at: int, now: datetime) -> dict[str, Any]:
    there = {"name": f"Reader {at}", "address": f"{at} King St", "city": "Toronto", "country": "CA", "lat": 43.65}
    return {
        "order_ref": f"B-{at}",
        "tracking_number": Business.number(at),
        "type": "D",
        "status": (OrderStatus.NEW_ORDER if at % 2 else OrderStatus.DELIVERED).value,
        "fulfilment": "self_delivery",
        "third_party_held": False,
        "photo_required": False,
        "show_items_to_recipient": False,
        "stock_short": False,
        "pin_required": False,
        "attempts": 0,
        "scheduled_date": now.date() + timedelta(days=at % 30),
        "consignee": {**there, "lng": -79.38},
        "stop_name": there["name"],
        "stop_address": there["address"],
        "stop_city": "Toronto",
        "stop_postal_code": "M5V 2T6",
        "lat": 43.65,
        "lng": -79.38,
        "service_time_s": 120,
        "weight_g": 1500,
        "package_count": 1,
        "skills": [],
        "references": {},
        "search": f"b-{at}\nreader {at}\n{at} king st\ntoronto",
        "created_at": now,
        "updated_at": now,
    }


def _package(at: int, order_id: int) -> dict[str, Any]:
    return {"order_id": order_id, "tracking_number": Business.number(at), "weight_g": 1500, "quantity": 1}


def _change(order_id: int, now: datetime) -> dict[str, Any]:
    return {
        "order_id": order_id,
        "step": "create",
        "status": OrderStatus.NEW_ORDER.value,
        "at": now,
        "recorded_at": now,
    }


def _subject(at: int, order_id: int, now: datetime) -> dict[str, Any]:
    return {
        "tracking_number": Business.number(at),
        "profile": "parcel",
        "order_id": order_id,
        "order_ref": f"B-{at}",
        "created_at": now,
    }


def _event(subject_id: int, at: int, now: datetime) -> TrackingEvent:
    code, phase = JOURNEY_STEPS[at]
    happened = now - timedelta(hours=3 * (EVENTS_PER_ORDER - at))
    return TrackingEvent(
        event_id=sha256_hex(f"{subject_id}/{at}")[:32],
        occurred_at=happened.astimezone(EASTERN),
        recorded_at=happened,
        status_code=code,
        phase=phase,
        source=Source(type="self_delivery", name="Haulier"),
        location=DEPOT,
    )


async def analyse(url: str) -> None:
    """Run ANALYZE, as autovacuum would: the private cluster runs without it."""
    if url.startswith("postgresql"):
        import asyncpg

        connection = await asyncpg.connect(url)
        await connection.execute("ANALYZE")
        await connection.close()
