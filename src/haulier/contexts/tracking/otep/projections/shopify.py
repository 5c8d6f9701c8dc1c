"""Shopify: the list of fulfillment events, as its REST Admin API gives it."""

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Event, Location, Timeline
from haulier.contexts.tracking.otep.projections.charts import Chart, read
from haulier.contexts.tracking.otep.projections.formats import Document
from haulier.contexts.tracking.otep.projections.moments import in_order, stamp
from haulier.contexts.tracking.otep.projections.naming import point, said, whole_number


class Row(Struct, frozen=True):
    """A FulfillmentEventStatus, in lower case as REST writes it."""

    status: str


CHART = Chart(read("shopify"), Row)


def project(timeline: Timeline, base_url: str) -> Document:
    """The fulfillment events; the shop and fulfillment they belong to are the shop's to know, and left out."""
    order = {"order_id": timeline.subject.order_id} if timeline.subject.order_id else {}
    return {"fulfillment_events": [_event(event) | order for event in in_order(timeline)]}


def _event(event: Event) -> Document:
    known_at = stamp(event.recorded_at or event.occurred_at)
    document: Document = {
        "id": whole_number(event.event_id),
        "status": CHART.row(event).status,
        "message": said(event),
        "happened_at": stamp(event.occurred_at),
        "created_at": known_at,
        "updated_at": known_at,
    }
    if event.location:
        _locate(document, event.location)
    return document


def _locate(document: Document, location: Location) -> None:
    if location.address:
        document["address1"] = location.address
    if location.city:
        document["city"] = location.city
    if location.region:
        document["province"] = location.region
    if location.country:
        document["country"] = location.country
    if location.postal_code:
        document["zip"] = location.postal_code
    if at := point(location):
        document["latitude"], document["longitude"] = at
