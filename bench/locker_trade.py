"""Cost of locker rentals and luggage bookings: `python -m bench.locker_trade`.

Each step runs through the whole pipeline of one process, one after the other, on both databases: first with nothing
stored, then with 20,000 ended rentals and 20,000 completed bookings.
"""

import argparse
import asyncio
import json
import os
import platform
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from tests.contexts.lockers.examples import SITE
from tests.contexts.lockers.luggage.examples import HOTEL, SERVICE, TRAVELLER
from tests.contexts.lockers.resale_makers import OFFER
from tests.support.databases import cluster

from bench.databases import bench_database, private_cluster
from bench.lockers import make_application
from bench.seed import Business, seed_people
from haulier.adapters.database import database_for
from haulier.contexts.lockers.luggage.store import bags, bookings
from haulier.contexts.lockers.resale.store.tables import leases
from haulier.kernel.application import Application
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.run import handle_request

PAGE = Path(__file__).parent / "LOCKER_TRADE.md"
PAST, ROUNDS, BOXES = 20_000, 30, 40
ROWS_AT_ONCE = 1_000
PLACE = {**HOTEL, "country": "CA"}
console = Console(width=120)
Times = dict[str, list[float]]


class Trade:
    """A business that rents out compartments and transports luggage, with step times."""

    def __init__(self, app: Application, business: Business) -> None:
        self.app, self.business, self.times = app, business, defaultdict[str, list[float]](list)
        self.known: dict[str, Any] = {}

    async def does(self, operation: str, **asked: Any) -> Any:
        """Call an operation as staff; return its response as a document."""
        body = json.dumps(asked, default=str).encode()
        wanted = OperationRequest(
            operation=self.app.registry[operation],
            interface="rest",
            request_id="bench",
            body=body,
            token=self.business.token,
        )
        began = time.perf_counter()
        result = await handle_request(self.app, wanted)
        self.times[operation].append(1000 * (time.perf_counter() - began))
        if result.error:
            raise RuntimeError(f"{operation}: {result.error}")
        return msgspec.to_builtins(result.answer)

    async def opens(self) -> None:
        """Create a site with compartments and an offer, a luggage tariff, and a customer."""
        site = (await self.does("create_locker_site", **SITE))["site"]["id"]
        layout = [{"size": "s", "count": BOXES}]
        await self.does("add_locker_cabinet", site_id=site, code="A", layout=layout)
        offer = await self.does("create_locker_offer", site_id=site, **{**OFFER, "boxes": BOXES})
        await self.does("create_service", **SERVICE)
        who = {"name": "Ada", "account": "customer", "email": "ada@trade.example", "password": "correct horse battery"}
        customer = (await self.does("create_user", **who))["user"]["id"]
        await self.does("top_up_credit", customer_id=customer, amount_minor=10**8, reference="For all of it")
        self.known = {"site": site, "offer": offer["offer"]["id"], "customer": customer}

    async def leases_boxes(self) -> None:
        """Rent two compartments from reservation to the end, with an abandoned parcel."""
        asked = {"locker_offer_id": self.known["offer"], "customer_id": self.known["customer"], "boxes": 2, "days": 10}
        lease = {"locker_lease_id": (await self.does("reserve_locker_lease", **asked))["lease"]["id"]}
        await self.does("pay_locker_lease", **lease)
        parcel = (await self.does("reserve_leased_box", **lease))["parcel"]["id"]
        await self.does("list_leased_boxes", **lease)
        await self.does("cancel_leased_parcel", locker_parcel_id=parcel)
        await self.does("list_locker_leases", customer_id=self.known["customer"])
        await self.does("revoke_locker_lease", **lease, reason="It is over")

    async def carries_bags(self) -> None:
        """Transport two bags from booking to delivery."""
        now = datetime.now(UTC)
        times = {"drop_from": now, "drop_until": now + timedelta(hours=2), "pick_from": now + timedelta(hours=6)}
        wish = {"service_code": SERVICE["code"], "bags": [{"size": "s"}] * 2, "origin": PLACE, "destination": PLACE}
        await self.does("quote_luggage", **wish)
        booked = await self.does(
            "book_luggage", **wish, **times, traveller=TRAVELLER, customer_id=self.known["customer"]
        )
        named = {"luggage_id": booked["luggage"]["id"]}
        self.known["place"] = booked["luggage"]["origin"]
        await self.does("pay_luggage_booking", **named)
        tags = [bag["tag"] for bag in booked["luggage"]["bags"]]
        for step, proof in (("receive", {"identity_checked": "passport"}), ("load", {}), ("unload", {})):
            await self.does("hand_over_luggage", **named, step=step, tags=tags, **proof)
        await self.does("list_luggage_bookings", customer_id=self.known["customer"])
        await self.does("hand_over_luggage", **named, step="hand_out", tags=tags, identity_checked="passport")

    async def goes_on(self) -> Times:
        """Run rentals and bookings; return step times in milliseconds after a warm-up."""
        for _ in range(2):
            await self.leases_boxes()
            await self.carries_bags()
        self.times.clear()
        for _ in range(ROUNDS):
            await self.leases_boxes()
            await self.carries_bags()
        return dict(self.times)

    async def remembers(self) -> None:
        """Insert ended rentals and bookings of the same customer."""
        for begin in range(0, PAST, ROWS_AT_ONCE):
            async with self.app.database.write(self.business.client_id) as work:
                numbers = range(begin, begin + ROWS_AT_ONCE)
                await work.insert_many(leases, [self._past_lease() for _ in numbers])
                made = await work.insert_many(bookings, [self._past_booking(number) for number in numbers])
                await work.insert_many(bags, [_past_bag(id) for id in made])

    def _past_lease(self) -> dict[str, Any]:
        at = datetime.now(UTC) - timedelta(days=60)
        money = {"day_minor": 150, "setup_minor": 500, "price_minor": 2000, "paid_minor": 2000, "refunded_minor": 0}
        whose = {"offer_id": self.known["offer"], "site_id": self.known["site"], "customer_id": self.known["customer"]}
        what = {"status": "ended", "size": "s", "boxes": 1, "days": 10, "currency": "CAD", "withdraw_hours": 24}
        moments = {"created_at": at, "held_until": at, "paid_at": at, "ends_at": at, "ended_at": at}
        return {**money, **whose, **what, **moments}

    def _past_booking(self, number: int) -> dict[str, Any]:
        at = datetime.now(UTC) - timedelta(days=60)
        moments = ("drop_from", "drop_until", "pick_from", "pay_until", "created_at", "paid_at", "ended_at")
        return {
            **dict.fromkeys(moments, at),
            "customer_id": self.known["customer"],
            "tracking_number": f"HLP{number:09d}",
            "status": "collected",
            "service_code": SERVICE["code"],
            "form_values": {},
            "traveller_name": "Ada",
            "note": "",
            "origin": self.known["place"],
            "destination": self.known["place"],
            "bag_count": 1,
            "price_minor": 2260,
            "price_lines": [],
            "refunded_minor": 0,
            "currency": "CAD",
            "wrong_pins": 0,
            "late": False,
            "door_stuck": False,
            "sold_on": at.date(),
        }


def _past_bag(booking_id: int) -> dict[str, Any]:
    at = datetime.now(UTC) - timedelta(days=60)
    named = {"booking_id": booking_id, "number": 1, "tag": f"B{booking_id:08d}", "size": "s"}
    return {**named, "status": "collected", "damaged": False, "ended_at": at}


async def trade(url: str, analyze: bool) -> tuple[Times, Times]:
    """Return step times without and with history."""
    database, business = database_for(url), Business()
    await database.open()
    try:
        await seed_people(database, business)
    finally:
        await database.close()
    async with make_application(url) as app:
        shop = Trade(app, business)
        await shop.opens()
        before = await shop.goes_on()
        await shop.remembers()
        if analyze:  # autovacuum does this within a minute on a real server; the private cluster has none
            for table in ("locker_lease", "luggage_booking", "luggage_bag"):
                cluster().ask(f"ANALYZE {table}")
        return before, await shop.goes_on()


def percentile(times: Sequence[float], part: float) -> float:
    """Return a quantile of times."""
    return sorted(times)[min(int(len(times) * part), len(times) - 1)]


def measure_on(name: str) -> list[str]:
    """Return the section of a database."""
    with bench_database(name) as database:
        before, after = asyncio.run(trade(database.url, name == "postgres"))
    rows = [
        [step, *(f"{percentile(each[step], part):.1f}" for each in (before, after) for part in (0.5, 0.99))]
        for step in before
    ]
    return [
        f"## {name} (load average {os.getloadavg()[0]:.0f})\n",
        f"| step | p50 ms | p99 ms | p50 ms with {PAST:,} | p99 ms with {PAST:,} |",
        "|---|---|---|---|---|",
        *(f"| `{row[0]}` | {' | '.join(row[1:])} |" for row in rows),
        "",
    ]


def main(asked: Sequence[str] | None = None) -> None:
    """Measure and write the results page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgres"])
    parser.add_argument("--look", action="store_true", help="write no page")
    options = parser.parse_args(asked)
    shown: list[str] = []
    with private_cluster(options.databases):
        for name in options.databases:
            section = measure_on(name)
            console.print(*section, sep="\n", markup=False)
            shown += section
    if options.look:
        return
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    PAGE.write_text(
        f"""# Cost of locker rentals and luggage

`python -m bench.locker_trade`, {datetime.now(UTC):%Y-%m-%d}, {machine}, which other work may share: see the load average.

Each step runs through the whole pipeline of one process, one after the other: {ROUNDS} rentals of two compartments, from
reservation to end, and {ROUNDS} bookings of two bags, from booking to delivery. The second run has {PAST:,} ended
rentals and {PAST:,} completed bookings of the same customer. `hand_over_luggage` includes all four steps.

"""
        + "\n".join(shown)
    )


if __name__ == "__main__":
    main()
