"""Shopify: the list of fulfillment events, as its REST Admin API gives it."""

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType

from haulier.contexts.otep.projections.contract import DocumentPart, ProjectedDocument
from haulier.contexts.otep.projections.rules import (
    MappingTable,
    event_description,
    events_in_order,
    location_point,
    read_mapping_table,
    stable_integer_id,
)
from haulier.contexts.otep.timeline.contract import Timeline, TrackingEvent


class ShopifyRow(Struct, frozen=True):
    """A FulfillmentEventStatus, in lower case as REST writes it."""

    status: str


class FulfillmentEvent(DocumentPart, kw_only=True):
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


MAPPING = MappingTable(read_mapping_table("shopify"), ShopifyRow)


def project(timeline: Timeline, base_url: str) -> ProjectedDocument:
    """Return the fulfillment events.

    Shop and fulfillment ids are omitted: the shop knows them.
    """
    order_id = timeline.subject.order_id
    return {"fulfillment_events": [_fulfillment_event(event, order_id) for event in events_in_order(timeline)]}


def _fulfillment_event(event: TrackingEvent, order_id: int | UnsetType) -> FulfillmentEvent:
    known_at = event.recorded_at or event.occurred_at
    document = FulfillmentEvent(
        id=stable_integer_id(event.event_id),
        order_id=order_id,
        status=MAPPING.row(event).status,
        message=event_description(event),
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
        if at := location_point(location):
            document.latitude, document.longitude = at
    return document
