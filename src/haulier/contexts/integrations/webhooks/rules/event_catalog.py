"""Which news leaves the house, under which names. Contexts announce events; webhooks forward them by name and import none."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

ALL_EVENTS = "*"
"""Stands for every event there is and will be."""
TEST_EVENT = "webhook.test"
"""What a test delivery is called."""


class CatalogEvent(Struct, frozen=True, kw_only=True):
    """An event of the codebook."""

    name: str
    record_name: str
    """The name of the record that a context announces."""
    kind: str | None = None
    """What it is about: order, tracking, route, …"""
    subject_field: str | None = None
    """The field that names the subject."""
    items_field: str | None = None
    """The field with several, each of which is a message of its own."""
    for_customers: bool = False
    """Whether a customer may get it, of their own orders."""

    @property
    def wording(self) -> str:
        """The message that says what it means."""
        return f"webhook_event.{self.name}"


def _catalog_events(
    kind: str, subject_field: str | None, /, for_customers: bool = False, **announced: str
) -> list[CatalogEvent]:
    return [
        CatalogEvent(
            name=f"{kind}.{name}",
            record_name=record,
            kind=kind,
            subject_field=subject_field,
            for_customers=for_customers,
        )
        for name, record in announced.items()
    ]


EVENT_CATALOG: Sequence[CatalogEvent] = (
    *_catalog_events(
        "order",
        "order_id",
        for_customers=True,
        created="OrderCreated",
        changed="OrderChanged",
        status_changed="OrderStatusChanged",
        held="OrderHeld",
        released="OrderReleased",
        cancelled="OrderCancelled",
    ),
    CatalogEvent(
        name="tracking.updated",
        record_name="TrackingRecorded",
        kind="tracking",
        subject_field="tracking_number",
        items_field="updates",
        for_customers=True,
    ),
    CatalogEvent(
        name="tracking.corrected",
        record_name="TrackingCorrected",
        kind="tracking",
        subject_field="tracking_number",
        items_field="tracking_numbers",
    ),
    *_catalog_events("assignment", None, made="OrdersAssigned", ended="AssignmentsEnded"),
    *_catalog_events(
        "route",
        "route_id",
        created="RouteCreated",
        assigned="RouteAssigned",
        published="RoutePublished",
        unpublished="RouteUnpublished",
        started="RouteStarted",
        finished="RouteFinished",
        cancelled="RouteCancelled",
        stops_moved="StopsMoved",
        merged="RoutesMerged",
    ),
    *_catalog_events("stop", "stop_id", arrived="StopArrived", completed="StopCompleted", failed="StopFailed"),
    *_catalog_events(
        "board", "route_id", posted="RoutePosted", left="RouteLeftBoard", claimed="RouteClaimed", freed="ClaimEnded"
    ),
    *_catalog_events("offer", "job_id", made="OrderOffered", ended="OfferEnded"),
    *_catalog_events("driver", "driver_id", admitted="DriverApproved", document_expiring="DriverDocumentExpiring"),
    *_catalog_events("user", "user_id", created="UserCreated", disabled="UserDisabled"),
    *_catalog_events("approval", "approval_id", proposed="WriteProposed", decided="WriteDecided"),
)
EVENT_BY_NAME: Mapping[str, CatalogEvent] = {known.name: known for known in EVENT_CATALOG}
EVENT_BY_RECORD: Mapping[str, CatalogEvent] = {known.record_name: known for known in EVENT_CATALOG}


def split_event(known: CatalogEvent, news: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages in a piece of news: one, or one for each of several."""
    if known.items_field is None:
        return [dict(news)]
    return [
        dict(one) if isinstance(one, Mapping) else {str(known.subject_field): one} for one in news[known.items_field]
    ]


def message_subject(known: CatalogEvent, news: Mapping[str, Any]) -> str | None:
    """What a message is about, in one word: `order:17`, `tracking:HL0V…`."""
    return (
        f"{known.kind}:{news[known.subject_field]}"
        if known.subject_field and news.get(known.subject_field) is not None
        else None
    )


def is_subscribed(events: Sequence[str], name: str) -> bool:
    """Whether one who asked for some events wants this one."""
    return ALL_EVENTS in events or name in events
