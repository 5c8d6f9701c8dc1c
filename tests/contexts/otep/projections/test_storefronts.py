"""Storefront views: one published status, and tracking once the parcel has left."""

import json
from functools import cache
from typing import Any

from hypothesis import given
from jsonschema import Draft4Validator
from tests.contexts.otep.projections.timeline_factories import (
    CODES,
    make_timeline,
    make_timeline_with_incident,
    projected_json,
    timeline_of_codes,
    timelines,
)
from tests.support.every_case import for_every
from tests.support.shared import shared

from haulier.contexts.otep.timeline.contract import Subject, Timeline

STOREFRONTS = ("walmart", "bigcommerce", "magento", "woocommerce", "etsy", "ebay")
BIGCOMMERCE = [
    "Incomplete",
    "Pending",
    "Shipped",
    "Partially Shipped",
    "Refunded",
    "Cancelled",
    "Declined",
    "Awaiting Payment",
    "Awaiting Pickup",
    "Awaiting Shipment",
    "Completed",
    "Awaiting Fulfillment",
    "Manual Verification Required",
    "Disputed",
    "Partially Refunded",
]
"""bigcommerce/api-specs, orders v2: the text of each status id."""
MAGENTO = {"new", "pending_payment", "processing", "complete", "closed", "canceled", "holded", "payment_review"}
"""magento/magento2, Magento\\Sales\\Model\\Order: STATE_ constants."""
WOOCOMMERCE = {"pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed", "trash"}
"""Automattic\\WooCommerce\\Enums\\OrderStatus, without drafts."""
ETSY = {"Paid", "Completed", "Open", "Payment Processing", "Canceled", "Fully Refunded", "Partially Refunded"}
"""Etsy Open API v3, ShopReceipt.status."""
EBAY = {"NOT_STARTED", "IN_PROGRESS", "FULFILLED"}
EBAY_CANCEL = {"CANCELED", "IN_PROGRESS", "NONE_REQUESTED"}
"""eBay Sell Fulfillment API: OrderFulfillmentStatus, CancelState."""
KEYS = {
    "bigcommerce": "id order_id date_created tracking_number tracking_carrier tracking_link shipping_provider "
    "shipping_method comments items",
    "magento": "entity_id parent_id order_id track_number carrier_code title weight qty description created_at tracks",
    "woocommerce": "tracking_id tracking_provider tracking_link tracking_number date_shipped",
    "etsy": "receipt_shipping_id shipment_notification_timestamp carrier_name tracking_code",
    "ebay": "fulfillmentId shipmentTrackingNumber shippingCarrierCode shippedDate lineItems",
}
"""The keys of a shipment that each platform documents."""
SHIPMENTS = {
    "bigcommerce": "shipments",
    "magento": "shipments",
    "woocommerce": "shipment_trackings",
    "etsy": "shipments",
    "ebay": "fulfillments",
}
MONEY = {"Refund", "Refunded", "closed", "refunded", "Fully Refunded", "failed"}


@cache
def walmart_line() -> Draft4Validator:
    components = json.loads(shared("standards/walmart/us-orders-openapi.json").read_text())["components"]
    return Draft4Validator({"$ref": "#/components/schemas/OrderLineStatusType", "components": components})


def walmart_status(document: dict[str, Any]) -> dict[str, Any]:
    (line,) = document["order"]["orderLines"]["orderLine"]
    (status,) = line["orderLineStatuses"]["orderLineStatus"]
    return status


def status(name: str, document: dict[str, Any]) -> str | None:
    """The one status of a view, after checking that the platform knows it."""
    if name == "walmart":
        walmart_line().validate(walmart_status(document))
        return walmart_status(document)["status"]
    if name == "etsy":
        assert document.get("status") in ETSY | {None}
        assert isinstance(document["is_shipped"], bool)
        return document.get("status")
    order = document["order"]
    if name == "bigcommerce":
        assert BIGCOMMERCE[order["status_id"]] == order["status"]
        return order["status"]
    if name == "ebay":
        assert order["cancelStatus"]["cancelState"] in EBAY_CANCEL
        assert order["orderFulfillmentStatus"] in EBAY
        return order["orderFulfillmentStatus"]
    assert order["status"] in (MAGENTO if name == "magento" else WOOCOMMERCE)
    return order["status"]


def shipments(name: str, document: dict[str, Any]) -> list[dict[str, Any]]:
    if name == "walmart":
        told = walmart_status(document).get("trackingInfo")
        return [told] if told else []
    found = document[SHIPMENTS[name]]
    tracks = [track for shipment in found for track in shipment.get("tracks", [])]
    assert all(shipment.keys() <= set(KEYS[name].split()) for shipment in [*found, *tracks])
    return found


@for_every("name", STOREFRONTS)
@for_every(("code", "phase", "profile"), CODES)
def test_every_code_gives_a_published_status_unrelated_to_money(name: str, code: str, phase: str, profile: str) -> None:
    document = projected_json(name, make_timeline_with_incident(code, phase, profile))
    assert status(name, document) not in MONEY
    assert len(shipments(name, document)) == 1


@given(timelines())
def test_any_timeline_gives_a_published_status(timeline: Timeline) -> None:
    for name in STOREFRONTS:
        document = projected_json(name, timeline)
        assert status(name, document) not in MONEY, name
        shipments(name, document)


STORIES = {
    ("label_created",): ("Acknowledged", "Awaiting Shipment", "processing", "processing", None, "NOT_STARTED"),
    ("picked_up",): ("Shipped", "Shipped", "complete", "processing", None, "FULFILLED"),
    ("pickup_failed",): ("Acknowledged", "Awaiting Shipment", "processing", "on-hold", None, "NOT_STARTED"),
    ("picked_up", "delayed"): ("Shipped", "Shipped", "complete", "processing", None, "FULFILLED"),
    ("label_created", "delayed"): (
        "Acknowledged",
        "Awaiting Shipment",
        "processing",
        "processing",
        None,
        "NOT_STARTED",
    ),
    ("ready_for_collection",): ("Shipped", "Awaiting Pickup", "complete", "processing", None, "FULFILLED"),
    ("delivered",): ("Delivered", "Completed", "complete", "completed", "Completed", "FULFILLED"),
    ("picked_up", "lost"): ("Shipped", "Shipped", "processing", "on-hold", None, "FULFILLED"),
    ("picked_up", "on_hold"): ("Shipped", "Shipped", "holded", "processing", None, "FULFILLED"),
    ("picked_up", "returned"): ("Shipped", "Shipped", "processing", "on-hold", None, "FULFILLED"),
    ("cancelled",): ("Cancelled", "Cancelled", "canceled", "cancelled", "Canceled", "NOT_STARTED"),
    (): ("Acknowledged", "Awaiting Shipment", "processing", "processing", None, "NOT_STARTED"),
}


@for_every("codes", STORIES)
def test_each_scenario_has_its_status_in_every_shop(codes: tuple[str, ...]) -> None:
    timeline = timeline_of_codes(*codes)
    told = tuple(status(name, projected_json(name, timeline)) for name in STOREFRONTS)
    assert told == STORIES[codes]


@for_every("name", STOREFRONTS)
def test_tracking_is_sent_once_the_parcel_has_left(name: str) -> None:
    assert shipments(name, projected_json(name, timeline_of_codes("label_created"))) == []
    (told,) = shipments(name, projected_json(name, timeline_of_codes("label_created", "picked_up", "lost")))
    assert "HL 7/X" in json.dumps(told)


def test_a_line_unknown_to_walmart_is_refused_by_its_schema() -> None:
    line = walmart_status(projected_json("walmart", timeline_of_codes("picked_up")))
    assert walmart_line().is_valid(line)
    assert not walmart_line().is_valid(line | {"status": "InTransit"})
    del line["trackingInfo"]["shipDateTime"]
    assert not walmart_line().is_valid(line)


@for_every("name", STOREFRONTS)
def test_a_source_with_only_a_current_status_is_sufficient(name: str) -> None:
    timeline = Timeline(
        profile="parcel",
        subject=Subject(tracking_number="A1"),
        current_status="cancelled",
        current_phase="pre_shipment",
        terminal=True,
    )
    assert status(name, projected_json(name, timeline)) == status(
        name, projected_json(name, timeline_of_codes("cancelled"))
    )


def test_times_use_the_units_of_each_platform() -> None:
    timeline = make_timeline(*timeline_of_codes("picked_up", "delivered").events)
    assert walmart_status(projected_json("walmart", timeline))["trackingInfo"]["shipDateTime"] == 1_781_092_800_000
    (etsy,) = projected_json("etsy", timeline)["shipments"]
    assert etsy["shipment_notification_timestamp"] == 1_781_092_800
    (ebay,) = projected_json("ebay", timeline)["fulfillments"]
    assert ebay["shippedDate"] == "2026-06-10T12:00:00.000Z"
    woo = projected_json("woocommerce", timeline)
    assert woo["shipment_trackings"][0]["date_shipped"] == "2026-06-10"
    assert woo["order"]["date_completed"] == "2026-06-10T13:00:00Z"
