"""Which news leaves the house, under which names. Contexts announce events; webhooks forward them by name and import none."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

EVERY = "*"
"""Stands for every event there is and will be."""
TEST = "webhook.test"
"""What a test delivery is called."""


class Known(Struct, frozen=True, kw_only=True):
    """An event of the codebook."""

    name: str
    announced_as: str
    """The name of the record that a context announces."""
    kind: str | None = None
    """What it is about: order, tracking, route, …"""
    by: str | None = None
    """The field that names the subject."""
    each: str | None = None
    """The field with several, each of which is a message of its own."""
    for_customers: bool = False
    """Whether a customer may get it, of their own orders."""

    @property
    def wording(self) -> str:
        """The message that says what it means."""
        return f"webhook_event.{self.name}"


def _of(kind: str, by: str | None, /, for_customers: bool = False, **announced: str) -> list[Known]:
    return [
        Known(name=f"{kind}.{name}", announced_as=record, kind=kind, by=by, for_customers=for_customers)
        for name, record in announced.items()
    ]


CODEBOOK: Sequence[Known] = (
    *_of(
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
    Known(
        name="tracking.updated",
        announced_as="TrackingRecorded",
        kind="tracking",
        by="tracking_number",
        each="updates",
        for_customers=True,
    ),
    Known(
        name="tracking.corrected",
        announced_as="TrackingCorrected",
        kind="tracking",
        by="tracking_number",
        each="tracking_numbers",
    ),
    *_of("assignment", None, made="OrdersAssigned", ended="AssignmentsEnded"),
    *_of(
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
    *_of("stop", "stop_id", arrived="StopArrived", completed="StopCompleted", failed="StopFailed"),
    *_of("board", "route_id", posted="RoutePosted", left="RouteLeftBoard", claimed="RouteClaimed", freed="ClaimEnded"),
    *_of("offer", "job_id", made="OrderOffered", ended="OfferEnded"),
    *_of("driver", "driver_id", admitted="DriverAdmitted", document_ends="DriverDocumentEnds"),
    *_of("user", "user_id", created="UserCreated", disabled="UserDisabled"),
    *_of("approval", "approval_id", proposed="WriteProposed", decided="WriteDecided"),
)
BY_NAME: Mapping[str, Known] = {known.name: known for known in CODEBOOK}
BY_RECORD: Mapping[str, Known] = {known.announced_as: known for known in CODEBOOK}


def parts(known: Known, news: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages in a piece of news: one, or one for each of several."""
    if known.each is None:
        return [dict(news)]
    return [dict(one) if isinstance(one, Mapping) else {str(known.by): one} for one in news[known.each]]


def subject(known: Known, news: Mapping[str, Any]) -> str | None:
    """What a message is about, in one word: `order:17`, `tracking:HL0V…`."""
    return f"{known.kind}:{news[known.by]}" if known.by and news.get(known.by) is not None else None


def wants(events: Sequence[str], name: str) -> bool:
    """Whether one who asked for some events wants this one."""
    return EVERY in events or name in events
