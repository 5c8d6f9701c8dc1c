"""ShipEngine, simulated: an account with two carriers behind it."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from haulier.simulation.carriers.book import HANDED_OVER, Book, Scan, SimulatedLabel, price_cents
from haulier.simulation.carriers.documents import label_bytes, sheet
from haulier.simulation.carriers.faults import address_of

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
MEDIA = {"pdf": "application/pdf", "png": "image/png", "zpl": "application/zpl"}
NO_LINKS: dict[str, dict[str, str]] = {name: {} for name in ("first", "last", "prev", "next")}
WRONG_KEY, UNKNOWN_STREET = "wrong", "NOWHERE"
Answering = Callable[[Request, Book, str], Awaitable[Response]]


def shipengine_routes() -> list[Route]:
    """Under the paths of ShipEngine."""
    return [
        Route("/v1/carriers", _with_key(list_carriers), methods=["GET"]),
        Route("/v1/rates", _with_key(rate), methods=["POST"]),
        Route("/v1/labels", _with_key(buy), methods=["POST"]),
        Route("/v1/labels", _with_key(list_labels), methods=["GET"]),
        Route("/v1/labels/external_shipment_id/{reference}", _with_key(find_label), methods=["GET"]),
        Route("/v1/labels/{label_id}/void", _with_key(void), methods=["PUT"]),
        Route("/v1/labels/{label_id}/track", _with_key(track), methods=["GET"]),
        Route("/v1/manifests", _with_key(close_day), methods=["POST"]),
        Route("/v1/manifests", _with_key(list_manifests), methods=["GET"]),
        Route("/v1/downloads/manifest/{manifest_id}.pdf", _with_key(manifest_document), methods=["GET"]),
        Route("/v1/pickups", _with_key(book_pickup), methods=["POST"]),
        Route("/v1/pickups/{pickup_id}", _with_key(cancel_pickup), methods=["DELETE"]),
        Route("/v1/addresses/validate", _with_key(check_addresses), methods=["POST"]),
    ]


def _with_key(answer: Answering) -> Callable[[Request], Awaitable[Response]]:
    """Asks for a key; anything but `wrong` is right."""

    async def checked(request: Request) -> Response:
        key = request.headers.get("API-Key", "")
        if key in {"", WRONG_KEY}:
            return _refusal(401, "unauthorized", "The API key is not valid.", "security")
        try:
            return await answer(request, request.app.state.book, key)
        except (KeyError, TypeError, IndexError, ValueError) as lacking:
            return _refusal(400, "field_value_required", f"Missing or invalid: {lacking}")

    return checked


async def list_carriers(request: Request, book: Book, key: str) -> Response:
    """The accounts behind this one."""
    carriers = [
        {
            "carrier_id": carrier_id,
            "carrier_code": code,
            "friendly_name": name,
            "services": [
                {"carrier_id": carrier_id, "carrier_code": code, "service_code": service, "name": row[0]}
                for service, row in services.items()
            ],
        }
        for carrier_id, (code, name, services) in CARRIERS.items()
    ]
    return JSONResponse({"carriers": carriers, "request_id": _request_id(book), "errors": []})


async def rate(request: Request, book: Book, key: str) -> Response:
    """Rates of the accounts that are named."""
    asked = await request.json()
    shipment, options = asked["shipment"], asked["rate_options"]
    rates = [
        _rate(book, shipment, carrier_id, service)
        for carrier_id in options["carrier_ids"]
        for service in CARRIERS[carrier_id][2]
        if not options.get("service_codes") or service in options["service_codes"]
    ]
    answer = {
        "rates": rates,
        "invalid_rates": [],
        "rate_request_id": f"se-{book.next_number()}",
        "shipment_id": f"se-{book.next_number()}",
        "created_at": _moment(book.clock()),
        "status": "completed",
        "errors": [],
    }
    return JSONResponse({**_echo(shipment, answer), "rate_response": answer})


def _echo(shipment: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """The shipment as ShipEngine keeps it, with all that was left out."""
    pounds = (
        sum(package["weight"]["value"] * GRAMS[package["weight"]["unit"]] for package in shipment["packages"]) / 453.6
    )
    return {
        "shipment_id": answer["shipment_id"],
        "carrier_id": None,
        "service_code": None,
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


def _rate(book: Book, shipment: dict[str, Any], carrier_id: str, service: str) -> dict[str, Any]:
    code, friendly, services = CARRIERS[carrier_id]
    name, _, days = services[service]
    return {
        "rate_id": f"se-{book.next_number()}",
        "rate_type": "shipment",
        "carrier_id": carrier_id,
        "shipping_amount": _money(_cents(shipment, carrier_id, service)),
        "insurance_amount": _money(0),
        "confirmation_amount": _money(0),
        "other_amount": _money(0),
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


async def buy(request: Request, book: Book, key: str) -> Response:
    """A label. A reference that was used before is refused."""
    asked = await request.json()
    shipment = asked["shipment"]
    carrier_id, service, to = shipment["carrier_id"], shipment["service_code"], shipment["ship_to"]
    reference = shipment.get("external_shipment_id", "")
    if reference and book.find(CARRIER, key, reference):
        return _refusal(400, "identifier_conflict", "external_shipment_id is in use.", field="external_shipment_id")
    numbers = [f"9400111{book.next_number():015d}" for _ in shipment["packages"]]
    label = book.add(
        SimulatedLabel(
            label_id=f"se-{book.next_number()}",
            carrier=CARRIER,
            account=key,
            reference=reference,
            service=f"{carrier_id}:{service}",
            numbers=numbers,
            cents=_cents(shipment, carrier_id, service),
            currency="USD",
            made_at=book.clock(),
            label_format=asked.get("label_format", "pdf"),
            recipient=to["name"],
            city=to["city_locality"],
            region=to["state_province"],
            country=to["country_code"],
        )
    )
    return JSONResponse(_label(label))


async def list_labels(request: Request, book: Book, key: str) -> Response:
    """Labels by a tracking number."""
    number = request.query_params.get("tracking_number", "")
    found = book.of_number(CARRIER, number)
    labels = [_label(found)] if found and found.account == key else []
    return JSONResponse({"labels": labels, "total": len(labels), "page": 1, "pages": 1, "links": NO_LINKS})


async def find_label(request: Request, book: Book, key: str) -> Response:
    """The label of a reference."""
    found = book.find(CARRIER, key, request.path_params["reference"])
    return JSONResponse(_label(found[0])) if found else _not_found()


async def void(request: Request, book: Book, key: str) -> Response:
    """A label that was not handed over."""
    label = _own(book, key, request.path_params["label_id"])
    if label is None:
        return _not_found()
    if label.voided:
        return JSONResponse({"approved": False, "message": "Already voided.", "reason_code": "label_already_voided"})
    if any(scan.step == HANDED_OVER for scan in book.scans(label)):
        return JSONResponse({"approved": False, "message": "It was used.", "reason_code": "label_already_used"})
    label.voided = True
    return JSONResponse({"approved": True, "message": "Request for refund submitted."})


async def track(request: Request, book: Book, key: str) -> Response:
    """Scans, the last first."""
    label = _own(book, key, request.path_params["label_id"])
    if label is None:
        return _not_found()
    events = [_event(scan) for scan in book.scans(label)][::-1]
    last = SCANS[book.scans(label)[-1].step]
    return JSONResponse(
        {
            "tracking_number": label.numbers[0],
            "status_code": last[0],
            "status_detail_code": last[1],
            "carrier_status_code": last[0],
            "events": events,
        }
    )


def _event(scan: Scan) -> dict[str, Any]:
    status, detail, text = SCANS[scan.step]
    return {
        "occurred_at": _moment(scan.at),
        "carrier_occurred_at": _moment(scan.at),
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


async def close_day(request: Request, book: Book, key: str) -> Response:
    """A manifest for each carrier account."""
    ids = (await request.json())["label_ids"]
    labels = [label for label_id in ids if (label := _own(book, key, label_id))]
    able = [label for label in labels if not label.voided and label.manifest_id is None]
    if not able:
        return _refusal(400, "invalid_status", "No label can be manifested.")
    made = [
        book.close(CARRIER, key, [label for label in able if label.service.partition(":")[0] == carrier_id])
        for carrier_id in sorted({label.service.partition(":")[0] for label in able})
    ]
    manifests = [_manifest(request, each.manifest_id) for each in made]
    return JSONResponse(
        {"manifests": manifests, "manifest_requests": [], "request_id": _request_id(book), "errors": []}
    )


async def list_manifests(request: Request, book: Book, key: str) -> Response:
    """Those of this account."""
    own = [_manifest(request, each.manifest_id) for each in book.manifests.values() if each.account == key]
    return JSONResponse({"manifests": own, "total": len(own), "page": 1, "pages": 1, "links": NO_LINKS})


def _manifest(request: Request, manifest_id: str) -> dict[str, Any]:
    book: Book = request.app.state.book
    manifest = book.manifests[manifest_id]
    here = address_of(request)
    return {
        "manifest_id": f"se-{manifest_id}",
        "form_id": f"se-{manifest_id}",
        "created_at": _moment(manifest.made_at),
        "ship_date": _moment(manifest.made_at),
        "shipments": len(manifest.label_ids),
        "label_ids": manifest.label_ids,
        "warehouse_id": "se-1",
        "submission_id": manifest_id,
        "carrier_id": book.labels[manifest.label_ids[0]].service.partition(":")[0],
        "manifest_download": {"href": f"{here}/v1/downloads/manifest/{manifest_id}.pdf"},
    }


async def manifest_document(request: Request, book: Book, key: str) -> Response:
    """The sheet that a driver signs."""
    manifest = book.manifests.get(request.path_params["manifest_id"])
    if manifest is None:
        return _not_found()
    return Response(sheet(["MANIFEST", manifest.manifest_id, *manifest.label_ids[:40]]), media_type="application/pdf")


async def book_pickup(request: Request, book: Book, key: str) -> Response:
    """A pickup of labels."""
    asked = await request.json()
    first = _own(book, key, asked["label_ids"][0])
    if first is None:
        return _refusal(400, "invalid_identifier", "label_ids has no label of yours.", field="label_ids")
    pickup_id = f"pik_{book.next_number()}"
    book.pickups[pickup_id] = "booked"
    made = {
        **_done(book),
        "pickup_id": pickup_id,
        "created_at": _moment(book.clock()),
        "confirmation_number": f"C{pickup_id}",
    }
    return JSONResponse({**asked, **made, "carrier_id": first.service.partition(":")[0]})


async def cancel_pickup(request: Request, book: Book, key: str) -> Response:
    """Once."""
    pickup_id = request.path_params["pickup_id"]
    if book.pickups.get(pickup_id) != "booked":
        return _not_found()
    book.pickups[pickup_id] = "cancelled"
    return JSONResponse({**_done(book), "pickup_id": pickup_id})


async def check_addresses(request: Request, book: Book, key: str) -> Response:
    """Writes streets in capitals; a street with `Nowhere` in it is unknown."""
    return JSONResponse([_checked(address) for address in await request.json()])


def _checked(address: dict[str, Any]) -> dict[str, Any]:
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


def _label(label: SimulatedLabel) -> dict[str, Any]:
    carrier_id, _, service = label.service.partition(":")
    lines = (label.recipient, label.city, service)
    documents = [label_bytes(label.label_format, number, lines) for number in label.numbers]
    content = base64.b64encode(b"".join(documents) if label.label_format == "zpl" else documents[0]).decode()
    return {
        "label_id": label.label_id,
        "status": "voided" if label.voided else "completed",
        "shipment_id": f"se-9{label.label_id[3:]}",
        "external_shipment_id": label.reference,
        "ship_date": _moment(label.made_at),
        "created_at": _moment(label.made_at),
        "shipment_cost": _money(label.cents),
        "insurance_cost": _money(0),
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
        "packages": [
            {"package_code": "package", "weight": {"value": 1.0, "unit": "pound"}, "tracking_number": number}
            for number in label.numbers
        ],
    }


def _own(book: Book, key: str, label_id: str) -> SimulatedLabel | None:
    label = book.labels.get(label_id)
    return label if label and (label.carrier, label.account) == (CARRIER, key) else None


def _cents(shipment: dict[str, Any], carrier_id: str, service: str) -> int:
    packages = shipment["packages"]
    grams = sum(package["weight"]["value"] * GRAMS[package["weight"]["unit"]] for package in packages)
    return price_cents(CARRIERS[carrier_id][2][service][1], grams, len(packages))


def _money(cents: int) -> dict[str, Any]:
    return {"currency": "usd", "amount": cents / 100}


def _moment(at: Any) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


def _request_id(book: Book) -> str:
    return f"{book.next_number():08d}-0000-4000-8000-000000000000"


def _done(book: Book) -> dict[str, Any]:
    return {"request_id": _request_id(book), "errors": []}


def _not_found() -> Response:
    return _refusal(404, "invalid_identifier", "There is no such thing.")


def _refusal(status: int, code: str, message: str, kind: str = "validation", field: str | None = None) -> Response:
    fault = {"error_source": "shipengine", "error_type": kind, "error_code": code, "message": message}
    errors = [{**fault, **({"field_name": field} if field else {})}]
    return JSONResponse({"request_id": "00000000-0000-4000-8000-000000000000", "errors": errors}, status)
