"""Documents of the simulated ShipEngine API."""

import base64
from typing import Any

from starlette.responses import JSONResponse, Response

from haulier.simulation.carriers.book import Book, Scan, SimulatedLabel, price_cents
from haulier.simulation.carriers.documents import label_bytes, labels_pdf

CARRIER = "shipengine"
CARRIERS = {
    "se-100001": ("stamps_com", "Stamps.com", {"usps_priority_mail": ("USPS Priority Mail", 780, 3)}),
    "se-100002": (
        "fedex",
        "FedEx",
        {"fedex_ground": ("FedEx Ground", 1140, 4), "fedex_2day": ("FedEx 2Day", 2380, 2)},
    ),
}
GRAMS = {"gram": 1.0, "kilogram": 1000.0, "ounce": 28.349523125, "pound": 453.59237}
SCANS = {
    "created": ("NY", "SHIPMENT_CREATED", "Label created"),
    "picked_up": ("AC", "PICKED_UP", "Accepted"),
    "in_transit": ("IT", "IN_TRANSIT", "In transit"),
    "out_for_delivery": ("IT", "OUT_FOR_DELIVERY", "Out for delivery"),
    "delivered": ("DE", "DELIVERED", "Delivered"),
}
LEFT_EMPTY = (
    "external_order_id",
    "label_image_id",
    "form_download",
    "qr_code_download",
    "paperless_download",
    "insurance_claim",
    "rma_number",
)
"""Members of labels that are always empty here."""
MEDIA = {"pdf": "application/pdf", "png": "image/png", "zpl": "application/zpl"}
WRONG_KEY, UNKNOWN_STREET = "wrong", "NOWHERE"


def shipment_form(shipment: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """Return a shipment with all defaults."""
    pounds = (
        sum(package["weight"]["value"] * GRAMS[package["weight"]["unit"]] for package in shipment["packages"]) / 453.6
    )
    return {
        "shipment_id": answer["shipment_id"],
        "created_at": answer["created_at"],
        "modified_at": answer["created_at"],
        "shipment_status": "pending",
        "warehouse_id": None,
        "return_to": shipment["ship_from"],
        "customs": None,
        "insurance_provider": "none",
        "tags": [],
        "total_weight": {"value": round(pounds, 2), "unit": "pound"},
        **shipment,
    }


def rate_form(book: Book, shipment: dict[str, Any], carrier_id: str, service: str) -> dict[str, Any]:
    """Return a rate."""
    code, friendly, services = CARRIERS[carrier_id]
    name, _, days = services[service]
    return {
        "rate_id": f"se-{book.next_number()}",
        "rate_type": "shipment",
        "carrier_id": carrier_id,
        "shipping_amount": money_form(price_of(shipment, carrier_id, service)),
        "insurance_amount": money_form(0),
        "confirmation_amount": money_form(0),
        "other_amount": money_form(0),
        "rate_details": [],
        "zone": 4,
        "package_type": "package",
        "delivery_days": days,
        "guaranteed_service": False,
        "negotiated_rate": False,
        "service_type": name,
        "service_code": service,
        "trackable": True,
        "carrier_code": code,
        "carrier_nickname": friendly,
        "carrier_friendly_name": friendly,
        "validation_status": "valid",
        "warning_messages": [],
        "error_messages": [],
    }


def event_form(scan: Scan) -> dict[str, Any]:
    """Return a scan event."""
    status, detail, text = SCANS[scan.step]
    return {
        "occurred_at": moment_form(scan.at),
        "carrier_occurred_at": moment_form(scan.at),
        "description": text,
        "city_locality": scan.label.city,
        "state_province": scan.label.region,
        "postal_code": "",
        "country_code": scan.label.country,
        "status_code": status,
        "status_detail_code": detail,
        "status_description": text,
        "carrier_status_code": scan.step,
        "carrier_detail_code": scan.step,
        "carrier_status_description": text,
        "event_code": scan.step,
    }


def address_form(address: dict[str, Any]) -> dict[str, Any]:
    """Return the validation result of an address."""
    street = address["address_line1"].upper()
    if UNKNOWN_STREET in street:
        remark = {
            "code": "a1003",
            "message": "The street was not found.",
            "type": "error",
            "detail_code": "street_does_not_match_unique_street_name",
        }
        return {"status": "error", "original_address": address, "matched_address": None, "messages": [remark]}
    matched = {**address, "address_line1": street, "city_locality": address["city_locality"].upper()}
    return {"status": "verified", "original_address": address, "matched_address": matched, "messages": []}


def label_form(label: SimulatedLabel) -> dict[str, Any]:
    """Return a label with its document inline."""
    carrier_id, _, service = label.service.partition(":")
    whole = labels_pdf(label) if label.label_format == "pdf" else b"".join(label_bytes(label, n) for n in label.numbers)
    content = base64.b64encode(whole).decode()
    return {
        "label_id": label.label_id,
        "status": "voided" if label.voided else "completed",
        "shipment_id": f"se-9{label.label_id[3:]}",
        "external_shipment_id": label.reference,
        "ship_date": moment_form(label.made_at),
        "created_at": moment_form(label.made_at),
        "shipment_cost": money_form(label.cents),
        "insurance_cost": money_form(0),
        "tracking_number": label.numbers[0],
        "is_return_label": False,
        "is_international": label.country != "US",
        "carrier_id": carrier_id,
        "carrier_code": CARRIERS[carrier_id][0],
        "service_code": service,
        "package_code": "package",
        "voided": label.voided,
        "label_format": label.label_format,
        "label_layout": "4x6",
        "trackable": True,
        "tracking_status": "in_transit",
        "label_download": {"href": f"data:{MEDIA[label.label_format]};base64,{content}"},
        "ship_to": {
            "name": label.recipient,
            "address_line1": label.street,
            "city_locality": label.city,
            "state_province": label.region,
            "postal_code": label.postal_code,
            "country_code": label.country,
            "address_residential_indicator": "unknown",
        },
        "batch_id": "se-0",
        "charge_event": "carrier_default",
        "display_scheme": "label",
        **dict.fromkeys(LEFT_EMPTY),
        "packages": [
            {"package_code": "package", "weight": {"value": 1.0, "unit": "pound"}, "tracking_number": number}
            for number in label.numbers
        ],
    }


def price_of(shipment: dict[str, Any], carrier_id: str, service: str) -> int:
    """Return the price of a service in cents."""
    packages = shipment["packages"]
    grams = sum(package["weight"]["value"] * GRAMS[package["weight"]["unit"]] for package in packages)
    return price_cents(CARRIERS[carrier_id][2][service][1], grams, len(packages))


def page_form(name: str, entries: list[dict[str, Any]], address: str) -> dict[str, Any]:
    """Return a list as a single page."""
    here = {"href": address}
    return {
        name: entries,
        "total": len(entries),
        "page": 1,
        "pages": 1,
        "links": {"first": here, "last": here, "prev": {}, "next": {}},
    }


def money_form(cents: int) -> dict[str, Any]:
    """Return an amount."""
    return {"currency": "usd", "amount": cents / 100}


def moment_form(at: Any) -> str:
    """Return a moment in UTC."""
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def request_id(book: Book) -> str:
    """Return a request id."""
    return f"{book.next_number():08d}-0000-4000-8000-000000000000"


def done_form(book: Book) -> dict[str, Any]:
    """Return the common members of successful answers."""
    return {"request_id": request_id(book), "errors": []}


def unknown_thing() -> Response:
    """Return a 404 answer."""
    return refusal(404, "invalid_identifier", "There is no such thing.")


def refusal(status: int, code: str, message: str, kind: str = "validation", field: str | None = None) -> Response:
    """Return an error answer."""
    fault = {"error_source": "shipengine", "error_type": kind, "error_code": code, "message": message}
    errors = [{**fault, **({"field_name": field} if field else {})}]
    return JSONResponse({"request_id": "00000000-0000-4000-8000-000000000000", "errors": errors}, status)
