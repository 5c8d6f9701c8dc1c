"""Storing what carriers sent and nobody could read: it is listed for the office and can be replayed."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, to_builtins

from haulier.contexts.otep.public import Location, Source
from haulier.contexts.tracking.ports import ReadScan
from haulier.contexts.tracking.pushes.rules import SCAN_UNREADABLE, CarrierMessageOrigin, scan_digest, scan_text
from haulier.contexts.tracking.pushes.store import messages as store
from haulier.contexts.tracking.timelines.actions import NewEvent
from haulier.kernel.call import Call

PROFILE = "parcel"
NUMBER_MAX, CARRIER_MAX = 100, 120


class UnreadableScan(Struct, frozen=True):
    """A scan of a poll that cannot be recorded, as its `sender` wrote it."""

    tracking_number: str
    sender: str
    document: Mapping[str, Any]


async def store_unreadable_scans(call: Call, carrier: str, scans: Sequence[UnreadableScan]) -> None:
    """Store scans of polls that cannot be recorded, each once. `carrier` is the code of the account that was polled."""
    rows = {(row := _scan_row(call, carrier, scan))["push_id"]: row for scan in scans}
    await store.insert_messages(call.work, list(rows.values()))


def _scan_row(call: Call, carrier: str, scan: UnreadableScan) -> dict[str, Any]:
    document = scan_text(scan.document)
    return {
        "push_id": scan_digest(carrier, scan.tracking_number, document),
        "origin": CarrierMessageOrigin.POLL.value,
        "sender": scan.sender,
        "carrier": carrier[:CARRIER_MAX],
        "provider_id": None,
        "tracking_number": scan.tracking_number[:NUMBER_MAX],
        "received_at": call.now,
        "reasons": [to_builtins(SCAN_UNREADABLE)],
        "document": document,
    }


def carrier_scan_event(carrier: str, number: str, scan: ReadScan, order_ref: str | None = None) -> NewEvent:
    """Return a polled scan as an event of the timeline of a number. `carrier` is the code of the account."""
    place = {name: getattr(scan, name) or UNSET for name in ("city", "region", "country")}
    known = any(value is not UNSET for value in place.values())
    return NewEvent(
        tracking_number=number,
        status_code=scan.otep_code,
        occurred_at=scan.occurred_at,
        location=Location(**place) if known else None,
        source=Source(type="carrier", name=carrier.lower()),
        reference=scan.event_id,
        raw_status=scan.text or scan.code,
        profile=PROFILE,
        order_ref=order_ref,
    )
