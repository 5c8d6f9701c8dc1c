"""How long each projection takes, relative to the native timeline in the same run.

A timeline is read from a database as events, put in order and written. So the unit is: build the native timeline from
its events and encode it. A projection is measured the same way: build, project, encode. Each figure is the best of many
rounds, so that other programs on the machine disturb it little; a factor compares only what was measured in this run.

    python -m bench.projections [events]
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter

import msgspec

from haulier.contexts.tracking.otep.model import Event, IncidentReason, Location, ProofOfDelivery, Source, Subject
from haulier.contexts.tracking.otep.projections import FORMATS
from haulier.contexts.tracking.otep.projections.naming import digest, event_uuid, segment
from haulier.contexts.tracking.otep.rules.timeline import timeline

GOAL = 3.0
ROUNDS, CALLS = 60, 40
BASE_URL = "https://haulier.example"
START = datetime(2026, 6, 8, 9, 0, tzinfo=UTC)
JOURNEY = (
    ("label_created", "pre_shipment"),
    ("awaiting_pickup", "pre_shipment"),
    ("picked_up", "pickup"),
    ("received", "inbound"),
    ("sorted", "inbound"),
    ("package_outbound", "transit"),
    ("in_transit", "transit"),
    ("arrival_scan", "inbound"),
    ("out_for_delivery", "out_for_delivery"),
    ("delivery_failed", "out_for_delivery"),
    ("out_for_delivery", "out_for_delivery"),
    ("delivered", "delivered"),
)
SUBJECT = Subject(tracking_number="HL7XK2M9QA", order_id=12345, package_id=67890)
TORONTO = Location(
    name="Depot East", city="Toronto", region="ON", country="CA", postal_code="M5V 2T6", lat=43.651, lng=-79.383
)


def events(count: int) -> tuple[Event, ...]:
    """A journey of so many events, as full as those of our own drivers."""
    return tuple(an_event(index, *JOURNEY[index * len(JOURNEY) // count]) for index in range(count))


def an_event(index: int, code: str, phase: str) -> Event:
    """One event of the journey."""
    at = START + timedelta(hours=3 * index, minutes=7)
    failed = code == "delivery_failed"
    return Event(
        event_id=digest(f"{index}")[:32],
        occurred_at=at,
        recorded_at=at + timedelta(seconds=2),
        status_code=code,
        phase=phase,
        description=code.replace("_", " ").capitalize(),
        source=Source(type="self_delivery", name="Haulier"),
        location=TORONTO,
        incident_reason=IncidentReason(code="recipient_absent", note="Nobody answered") if failed else msgspec.UNSET,
        pod=ProofOfDelivery(recipient="A. Reader") if code == "delivered" else msgspec.UNSET,
    )


def best_us(work: Callable[[], object]) -> float:
    """Microseconds of one call, in the best of the rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = perf_counter()
        for _ in range(CALLS):
            work()
        best = min(best, perf_counter() - start)
    return best / CALLS * 1e6


def forget() -> None:
    """Empty the caches of names, as if no event had been seen before."""
    for cache in (digest, event_uuid, segment):
        cache.cache_clear()


def main() -> int:
    """Print the table; 1 when the slowest projection misses the goal."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(JOURNEY)
    raw = events(count)
    encode = msgspec.json.Encoder().encode
    built = timeline(SUBJECT, raw)
    alone = best_us(lambda: encode(built))
    native = best_us(lambda: encode(timeline(SUBJECT, raw)))
    print(f"{count} events; native: encoding alone {alone:.1f} us, built and encoded {native:.1f} us (= 1.00)")
    print(f"{'format':14}{'bytes':>7}{'us':>8}{'factor':>8}{'names new':>11}{'project alone, us':>19}")
    slowest = 0.0
    for format in FORMATS.values():
        project = format.project
        warm = best_us(lambda project=project: encode(project(timeline(SUBJECT, raw), BASE_URL)))
        cold = best_us(lambda project=project: (forget(), encode(project(timeline(SUBJECT, raw), BASE_URL))))
        bare = best_us(lambda project=project: project(built, BASE_URL))
        size = len(encode(project(built, BASE_URL)))
        print(f"{format.name:14}{size:7}{warm:8.1f}{warm / native:8.2f}{cold / native:11.2f}{bare:19.1f}")
        slowest = max(slowest, warm / native)
    print(f"slowest {slowest:.2f}, goal {GOAL:.2f}")
    return int(slowest > GOAL)


if __name__ == "__main__":
    sys.exit(main())
