"""Requests of a customer whose answers contain prices."""

from typing import Any

from tests.contexts.freight.examples import PALLETS
from tests.contexts.lockers.luggage.examples import TIMES, TRAVELLER
from tests.invariants.example_requests import make_request_for
from tests.invariants.price_walk import PLACE, PRICE, Records

from haulier.kernel.operations.declaration import Operation

AFTER_A_FAILED_VISIT = ("correct_address", "request_redelivery", "return_order")


def price_request(operation: Operation[Any, Any], records: Records) -> dict[str, Any]:
    """Return a request whose answer contains prices."""
    order = records.known["order_id"]
    sent = {"service_code": "demo-send", "parcels": [{"package_ids": [records.known["free_package_id"]]}]}
    told: dict[str, dict[str, Any]] = {
        "get_orders": {},
        "get_fulfilment": {"order_id": order, "fulfilment_id": f"order-{order}"},
        "list_order_returns": {},
        "list_freight_shipments": {},
        "list_freight_claims": {},
        **_of_freight(records.known),
        "list_shipments": {},
        "estimate_shipping_order": {"service_code": records.known["shipping_service_code"]},
        "create_shipping_order": {"service_code": records.known["shipping_service_code"], "consignee": PLACE},
        "list_shipping_orders": {},
        "list_shipouts": {},
        "list_payments": {},
        "otep_client_locker_storage": {},
        "create_payment": {"purpose": "storage_order", "subject_id": records.known["storage_order_id"]},
        "estimate_shipout": {**sent, "consignee": {"country": "CA"}},
        "create_shipout": {**sent, "consignee": PLACE},
        "submit_shipping_information": {"shipment_id": records.known["draft_shipment_id"]},
        "check_in_reservation": {"reservation_id": records.known["visit_id"]},
        "pay_no_show_fee": {"reservation_id": records.known["missed_visit_id"]},
        "find_order": {"search": records.known["order_refs"][0]},
        "propose_write": {"tool": "create_order", "arguments": {"consignee": PLACE}},
        "quote_delivery": {"consignee": {"lat": 43.6, "lng": -79.3}, "weight_g": 9000, "cod": True},
        "correct_address": {
            "order_id": records.known["tried"],
            "place": {name: PLACE[name] for name in ("address", "city", "country")},
        },
        "uniorder_create_batch": {"orders": [{"order": {"consignee": PLACE}}]},
        "uniorder_rate_batch": {"shipments": [{"consignee": PLACE, "quote_labels": True}]},
        **_of_devices(records.known),
        **_of_luggage(records.known),
        **_of_leases(records.known),
        "run_graphql_query": {"query": f"{{ order(order_id: {order}) {{ order {{ shipping_price }} }} }}"},
    }
    if operation.name in AFTER_A_FAILED_VISIT:
        records = Records(records.known | {"order_id": records.known["tried"]}, records.proposed)
    return told[operation.name] if operation.name in told else make_request_for(operation, records.known)


def _of_freight(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return freight requests with a shipment that allows each."""
    opened, delivered = ({"freight_shipment_id": known[name]} for name in ("open_freight_id", "freight_shipment_id"))
    goods = {"consignee": PLACE, "handling_units": [PALLETS]}
    return {
        "quote_freight": goods,
        "create_freight_shipment": {**goods, "shipper": PLACE},
        "update_freight_shipment": {**opened, "instructions": "Dock 4"},
        "cancel_freight_shipment": opened,
        "file_freight_claim": {**delivered, "kind": "delay", "claimed_minor": PRICE, "note": "A week late"},
    }


def _of_devices(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each device order step with an order that allows it."""
    sent, items = {"device_order_id": known["sent_device_order_id"]}, [{"product_code": known["product_code"]}]
    return {
        "list_device_products": {},
        "quote_device_order": {"items": items},
        "create_device_order": {"items": items, "consignee": PLACE},
        "list_device_orders": {},
        "list_device_returns": {},
        "update_device_order": {"device_order_id": known["other_device_order_id"]},
        "cancel_device_order": {"device_order_id": known["other_device_order_id"]},
        "pay_device_order": {"device_order_id": known["confirmed_device_order_id"]},
        "activate_ordered_device": {**sent, "serial": known["sent_serial"]},
        "request_device_return": {**sent, "serials": [known["sent_serial"]], "reason": "other"},
    }


def _of_luggage(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each luggage booking step with a booking that allows it."""
    other = {"luggage_id": known["other_luggage_id"]}
    return {
        "quote_luggage": known["luggage_wish"],
        "book_luggage": {**known["luggage_wish"], **TIMES, "traveller": TRAVELLER},
        "list_luggage_bookings": {},
        "list_luggage_claims": {},
        "update_luggage_booking": {**other, "note": "Ring"},
        "cancel_luggage_booking": other,
        "get_payment_link": {"link": known["payment_link"]},
        "create_payment_link": {"purpose": "luggage", "subject_id": known["unpaid_luggage_id"]},
        "pay_luggage_booking": {"luggage_id": known["unpaid_luggage_id"]},
        "renew_luggage_codes": {"luggage_id": known["paid_luggage_id"]},
    }


def _of_leases(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return each locker rental step with a rental that allows it."""
    active, parcel = {"locker_lease_id": known["locker_lease_id"]}, {"locker_parcel_id": known["leased_parcel_id"]}
    return {
        "list_locker_offers": {},
        "list_locker_leases": {},
        "list_lease_entries": {},
        "reserve_locker_lease": {"locker_offer_id": known["locker_offer_id"], "boxes": 1, "days": 2},
        "cancel_locker_lease": {"locker_lease_id": known["other_lease_id"]},
        "pay_locker_lease": {"locker_lease_id": known["reserved_lease_id"]},
        "extend_locker_lease": {**active, "days": 2},
        "reserve_leased_box": active,
        "open_leased_box": parcel,
        "cancel_leased_parcel": parcel,
    }
