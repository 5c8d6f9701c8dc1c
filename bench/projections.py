"""Cost of each projection relative to the native timeline in the same run.

The unit is the work for the native form: build the timeline from the stored row of its subject and encode it. A
projection is measured likewise: build, project, encode. The column `strict` excludes building: projecting and encoding,
relative to encoding the native timeline. `new` is the factor with empty caches of names. Each value is the best of many
rounds to reduce disturbance by other programs; factors compare only values of the same run.

    python -m bench.projections [events]
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import msgspec

from haulier.contexts.otep.projections import FORMATS
from haulier.contexts.otep.projections.rules import name_uuid, sha256_hex, stable_integer_id
from haulier.contexts.otep.timeline.contract import IncidentReason, Location, ProofOfDelivery, Source, TrackingEvent
from haulier.contexts.tracking.timelines.serializers import timeline_from_row

MAX_RATIO = 3.0
ROUNDS, CALLS = 60, 40
BASE_URL = "https://haulier.example"
START = datetime(2026, 6, 8, 9, 0, tzinfo=UTC)
JOURNEY_STEPS = (
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
SUBJECT = {
    "id": 1,
    "tracking_number": "HL7XK2M9QA",
    "profile": "parcel",
    "order_id": 12345,
    "package_id": 67890,
    "external_number": None,
    "sscc": None,
}
TORONTO = {
    "name": "Depot East",
    "city": "Toronto",
    "region": "ON",
    "country": "CA",
    "postal_code": "M5V 2T6",
    "lat": 43.651,
    "lng": -79.383,
}


def make_row(count: int) -> SimpleNamespace:
    """Return the stored row of a subject with as much detail as events of own drivers."""
    events = [make_event(index, *JOURNEY_STEPS[index * len(JOURNEY_STEPS) // count]) for index in range(count)]
    return SimpleNamespace(
        **SUBJECT, corrections=None, events=",".join(msgspec.json.encode(event).decode() for event in events)
    )


def make_event(index: int, code: str, phase: str) -> TrackingEvent:
    """Return one event of the journey."""
    at = START + timedelta(hours=3 * index, minutes=7)
    reason = IncidentReason(code="recipient_absent", note="Nobody answered")
    return TrackingEvent(
        event_id=sha256_hex(f"{index}")[:32],
        occurred_at=at,
        recorded_at=at + timedelta(seconds=2),
        status_code=code,
        phase=phase,
        source=Source(type="self_delivery", name="Haulier"),
        location=msgspec.convert(TORONTO, Location),
        incident_reason=reason if code == "delivery_failed" else msgspec.UNSET,
        pod=ProofOfDelivery(recipient="A. Reader") if code == "delivered" else msgspec.UNSET,
    )


def best_us(*works: Callable[[], object]) -> list[float]:
    """Return the microseconds of one call of each, best of interleaved rounds."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for place, work in enumerate(works):
            start = perf_counter()
            for _ in range(CALLS):
                work()
            best[place] = min(best[place], perf_counter() - start)
    return [seconds / CALLS * 1e6 for seconds in best]


def clear_caches() -> None:
    """Empty the caches of names, as if no event had been seen before."""
    for cache in (sha256_hex, name_uuid, stable_integer_id):
        cache.cache_clear()


def main() -> int:
    """Print the table; return 1 if the slowest projection misses the target."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else len(JOURNEY_STEPS)
    stored: Any = make_row(count)
    encode = msgspec.json.Encoder().encode
    built = timeline_from_row(stored)
    print(f"{count} events; native: built from its row and encoded = 1.00")
    print(f"{'format':14}{'bytes':>7}{'us':>8}{'factor':>8}{'new':>7}{'strict':>8}")
    slowest = 0.0
    for format in FORMATS.values():
        project = format.project
        native, alone, whole, new, bare = best_us(
            lambda: encode(timeline_from_row(stored)),
            lambda: encode(built),
            lambda project=project: encode(project(timeline_from_row(stored), BASE_URL)),
            lambda project=project: (clear_caches(), encode(project(timeline_from_row(stored), BASE_URL))),
            lambda project=project: encode(project(built, BASE_URL)),
        )
        size = len(encode(project(built, BASE_URL)))
        factors = f"{whole / native:8.2f}{new / native:7.2f}{bare / alone:8.2f}"
        print(f"{format.name:14}{size:7}{whole:8.1f}{factors}")
        slowest = max(slowest, whole / native)
    print(f"slowest {slowest:.2f}, goal {MAX_RATIO:.2f}")
    return int(slowest > MAX_RATIO)


if __name__ == "__main__":
    sys.exit(main())
