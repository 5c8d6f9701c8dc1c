"""Shopify: the list of fulfillment events, as its REST Admin API gives it."""

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType

from haulier.contexts.tracking.otep.model import Event, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document, Part
from haulier.contexts.tracking.otep.projections.moments import in_order
from haulier.contexts.tracking.otep.projections.naming import point, said, whole_number


class Row(Struct, frozen=True):
    """A FulfillmentEventStatus, in lower case as REST writes it."""

    status: str


class FulfillmentEvent(Part, kw_only=True):
    """One event, as REST writes it."""

    id: int
    order_id: int | UnsetType = UNSET
    status: str
    message: str
    happened_at: datetime
    address1: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    province: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    zip: str | UnsetType = UNSET
    latitude: float | UnsetType = UNSET
    longitude: float | UnsetType = UNSET
    created_at: datetime
    updated_at: datetime


CHART = Chart(read("shopify"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The fulfillment events; the shop and fulfillment they belong to are the shop's to know, and left out."""
    order_id = timeline.subject.order_id
    return {"fulfillment_events": [_event(event, order_id) for event in in_order(timeline)]}


def _event(event: Event, order_id: int | UnsetType) -> FulfillmentEvent:
    known_at = event.recorded_at or event.occurred_at
    document = FulfillmentEvent(
        id=whole_number(event.event_id),
        order_id=order_id,
        status=CHART.row(event).status,
        message=said(event),
        happened_at=event.occurred_at,
        created_at=known_at,
        updated_at=known_at,
    )
    if location := event.location:
        document.address1 = location.address
        document.city = location.city
        document.province = location.region
        document.country = location.country
        document.zip = location.postal_code
        if at := point(location):
            document.latitude, document.longitude = at
    return document
