"""Fulfillment events have the published keys and statuses."""

from typing import Any

from hypothesis import given
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.contract import Timeline

STATUSES = {
    "attempted_delivery",
    "carrier_picked_up",
    "confirmed",
    "delayed",
    "delivered",
    "failure",
    "in_transit",
    "label_printed",
    "label_purchased",
    "out_for_delivery",
    "ready_for_pickup",
}
"""FulfillmentEventStatus of the Admin API 2026-10."""

KEYS = {
    "id",
    "fulfillment_id",
    "order_id",
    "shop_id",
    "status",
    "message",
    "happened_at",
    "city",
    "province",
    "country",
    "zip",
    "address1",
    "latitude",
    "longitude",
    "created_at",
    "updated_at",
    "estimated_delivery_at",
    "admin_graphql_api_id",
}
"""FulfillmentEvent of the REST Admin API."""


def prove(document: dict[str, Any]) -> None:
    assert set(document) == {"fulfillment_events"}
    for event in document["fulfillment_events"]:
        assert event.keys() <= KEYS
        assert event.keys() >= {"id", "status", "happened_at"}
        assert event["status"] in STATUSES
        assert 0 < event["id"] < 2**53


@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_published_status(code: str, phase: str, profile: str) -> None:
    document = projected_json("shopify", make_timeline_with_incident(code, phase, profile))
    prove(document)
    assert "Nobody answered" in document["fulfillment_events"][-1]["message"]


@given(timelines())
def test_any_timeline_gives_published_keys_and_statuses(timeline: Timeline) -> None:
    prove(projected_json("shopify", timeline))


def test_a_journey_has_the_statuses_the_shop_expects() -> None:
    journey = timeline_of_codes("label_created", "picked_up", "out_for_delivery", "delivery_failed", "returned")
    assert [event["status"] for event in projected_json("shopify", journey)["fulfillment_events"]] == [
        "label_purchased",
        "carrier_picked_up",
        "out_for_delivery",
        "attempted_delivery",
        "failure",
    ]
