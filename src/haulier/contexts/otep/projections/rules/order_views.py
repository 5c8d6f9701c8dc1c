"""What the storefront views share: one status of an order from the current event, and when the parcel left and arrived.

A storefront knows an order, not a journey. Tracking never asserts that money moved: no view says refunded.
"""

from datetime import datetime
from typing import Any, TypeVar

from msgspec import Struct

from haulier.contexts.otep.projections.rules.event_times import current_event, events_in_order
from haulier.contexts.otep.projections.rules.identifiers import subject_number, url_segment
from haulier.contexts.otep.projections.rules.mapping_tables import PIVOT_TABLE, MappingTable
from haulier.contexts.otep.timeline.contract import Timeline

Row = TypeVar("Row", bound=Struct)


class OrderView(Struct, frozen=True, kw_only=True):
    """An order as a storefront sees it.

    `shipped_at` is None while the parcel has not left the sender, `delivered_at` while it has not arrived, `changed_at`
    while nothing happened at all.
    """

    number: str
    order_id: int | None
    line: str
    """The package, or for want of its id the number, as the order's one line."""
    carrier: str
    url: str
    shipped_at: datetime | None
    delivered_at: datetime | None
    changed_at: datetime | None


def build_order_view(timeline: Timeline, base_url: str, mapping: MappingTable[Row]) -> tuple[OrderView, Row]:
    """The order's view, and the row of a storefront's table for its current status."""
    events = [event for event in events_in_order(timeline) if not event.late]
    last = current_event(events)
    code, phase = (last.status_code, last.phase) if last else _stated_status(timeline)
    subject = timeline.subject
    name = subject_number(subject)
    order = OrderView(
        number=name,
        order_id=subject.order_id or None,
        line=str(subject.package_id or name),
        carrier=(last.source.name or last.source.type) if last else "",
        url=f"{base_url}/api/v1/tracking/{url_segment(name)}",
        shipped_at=next((event.occurred_at for event in events if PIVOT_TABLE.row(event).moved), None),
        delivered_at=last.occurred_at
        if last and PIVOT_TABLE.row_for(code, phase) is PIVOT_TABLE.pivots["delivered"]
        else None,
        changed_at=last.occurred_at if last else None,
    )
    return order, mapping.row_for(code, phase)


def _stated_status(timeline: Timeline) -> tuple[str, str]:
    """The status of a timeline whose events are not told; as long as there is none, the order is only known."""
    return timeline.current_status or "information_submitted", timeline.current_phase or "pre_shipment"


def known_fields(**fields: Any) -> dict[str, Any]:
    """The fields whose value is known."""
    return {name: value for name, value in fields.items() if value is not None}
