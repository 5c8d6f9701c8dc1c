"""Simulated EasyPost: shipments, orders, refunds, tracking and pickups."""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from haulier.simulation.carriers.book import HANDED_OVER, Book, Scan, SimulatedLabel, amount, price_cents
from haulier.simulation.carriers.documents import label_bytes, sheet
from haulier.simulation.carriers.faults import address_of

CARRIER = "easypost"
SERVICES = {"Priority": (742, 2), "GroundAdvantage": (607, 3), "Express": (3415, 1)}
GRAMS_PER_OUNCE = 28.349523125
SCANS = {
    "created": ("pre_transit", "label_created", "Label created"),
    "picked_up": ("in_transit", "received_at_origin_facility", "Accepted at origin"),
    "in_transit": ("in_transit", "departed_facility", "Departed facility"),
    "out_for_delivery": ("out_for_delivery", "out_for_delivery", "Out for delivery"),
    "delivered": ("delivered", "arrived_at_destination", "Delivered"),
}
MEDIA = {"pdf": "application/pdf", "png": "image/png", "zpl": "application/zpl"}
WRONG_KEY, UNKNOWN_STREET = "wrong", "NOWHERE"
Answering = Callable[[Request, "Desk"], Awaitable[Response]]
Document = dict[str, Any]


class Desk:
    """Shipments and orders of an account, purchased or not."""

    def __init__(self, book: Book, key: str) -> None:
        self.book, self.key = book, key
        self.kept: dict[str, Document] = {}
        """Shipments, orders, pickups and batches by id."""
        self.by_reference: dict[tuple[str, str], str] = {}

    def keep(self, document: Document) -> Document:
        """Store a document. A repeated reference refers to the newest one."""
        self.kept[document["id"]] = document
        if document.get("reference"):
            self.by_reference[document["object"], document["reference"]] = document["id"]
        return document

    def find(self, kind: str, name: str) -> Document:
        """Return a document by id or reference. Raises `LookupError`."""
        found = self.kept.get(self.by_reference.get((kind, name), name))
        if found is None or found["object"] != kind:
            raise LookupError(name)
        return found

    def new_id(self, prefix: str) -> str:
        """Return a new id."""
        return f"{prefix}_{self.book.next_number():032x}"

    def label(self, shipment: Document) -> SimulatedLabel:
        """Return the purchased label of a shipment. Raises `LookupError`."""
        return self.book.labels[shipment["id"]]


def easypost_routes() -> list[Route]:
    """Return the routes of EasyPost."""
    return [
        Route("/v2/shipments", _with_key(make_shipment), methods=["POST"]),
        Route("/v2/shipments/{name}", _with_key(get_shipment), methods=["GET"]),
        Route("/v2/shipments/{name}/buy", _with_key(buy_shipment), methods=["POST"]),
        Route("/v2/shipments/{name}/refund", _with_key(refund), methods=["POST"]),
        Route("/v2/orders", _with_key(make_order), methods=["POST"]),
        Route("/v2/orders/{name}", _with_key(get_order), methods=["GET"]),
        Route("/v2/orders/{name}/buy", _with_key(buy_order), methods=["POST"]),
        Route("/v2/scan_forms", _with_key(make_scan_form), methods=["POST"]),
        Route("/v2/trackers", _with_key(list_trackers), methods=["GET"]),
        Route("/v2/batches", _with_key(make_batch), methods=["POST"]),
        Route("/v2/batches/{name}", _with_key(get_batch), methods=["GET"]),
        Route("/v2/pickups", _with_key(make_pickup), methods=["POST"]),
        Route("/v2/pickups/{name}", _with_key(get_pickup), methods=["GET"]),
        Route("/v2/pickups/{name}/buy", _with_key(buy_pickup), methods=["POST"]),
        Route("/v2/pickups/{name}/cancel", _with_key(cancel_pickup), methods=["POST"]),
        Route("/v2/addresses", _with_key(make_address), methods=["POST"]),
        Route("/files/{kind}/{name}", get_file, methods=["GET"]),
    ]


def _with_key(answer: Answering) -> Callable[[Request], Awaitable[Response]]:
    """Require an API key; all keys except `wrong` are valid."""

    async def checked(request: Request) -> Response:
        code = request.headers.get("Authorization", "").removeprefix("Basic ")
        key = base64.b64decode(code or b"").decode().partition(":")[0]
        if key in {"", WRONG_KEY}:
            return _refusal(401, "APIKEY.INACTIVE", "This api key is no longer active.")
        desks: dict[str, Desk] = request.app.state.__dict__.setdefault("_easypost", {})
        try:
            return await answer(request, desks.setdefault(key, Desk(request.app.state.book, key)))
        except KeyError as lacking:
            return _refusal(422, "PARAMETER.REQUIRED", "Missing required parameter.", str(lacking).strip("'"))
        except LookupError:
            return _refusal(404, "NOT_FOUND", "The requested resource could not be found.")
        except (TypeError, ValueError) as wrong:
            return _refusal(422, "PARAMETER.INVALID", str(wrong))

    return checked


async def make_shipment(request: Request, desk: Desk) -> Response:
    """Create a shipment with rates, without buying one."""
    asked = (await request.json())["shipment"]
    return JSONResponse(desk.keep(_shipment(desk, asked, asked["parcel"], asked.get("reference"))), 201)


def _shipment(
    desk: Desk, asked: Document, parcel: Document, reference: str | None, options: Document | None = None
) -> Document:
    shipment_id = desk.new_id("shp")
    grams = float(parcel["weight"]) * GRAMS_PER_OUNCE
    return {
        "id": shipment_id,
        "object": "Shipment",
        "mode": "test",
        "reference": reference,
        "status": "unknown",
        "tracking_code": None,
        "to_address": asked["to_address"],
        "from_address": asked["from_address"],
        "parcel": parcel,
        "options": options or asked.get("options", {}),
        "messages": [],
        "rates": [_rate(desk, service, grams, shipment_id) for service in SERVICES],
        "selected_rate": None,
        "postage_label": None,
        "refund_status": None,
        "scan_form": None,
    }


def _rate(desk: Desk, service: str, grams: float, shipment_id: str) -> Document:
    base, days = SERVICES[service]
    return {
        "id": desk.new_id("rate"),
        "object": "Rate",
        "service": service,
        "carrier": "USPS",
        "rate": amount(price_cents(base, grams)),
        "currency": "USD",
        "delivery_days": days,
        "delivery_date_guaranteed": False,
        "shipment_id": shipment_id,
    }


async def get_shipment(request: Request, desk: Desk) -> Response:
    """Return a shipment by id or reference."""
    return JSONResponse(desk.find("Shipment", request.path_params["name"]))


async def buy_shipment(request: Request, desk: Desk) -> Response:
    """Buy one of a shipment's rates, once."""
    shipment = desk.find("Shipment", request.path_params["name"])
    rate_id = (await request.json())["rate"]["id"]
    if shipment["postage_label"]:
        return _refusal(422, "SHIPMENT.POSTAGE.EXISTS", "Postage already exists for this shipment.")
    chosen = next((rate for rate in shipment["rates"] if rate["id"] == rate_id), None)
    if chosen is None:
        return _refusal(422, "SHIPMENT.INVALID_RATE", "The rate is not one of this shipment.")
    _sell(request, desk, shipment, chosen)
    return JSONResponse(shipment)


def _sell(request: Request, desk: Desk, shipment: Document, rate: Document) -> None:
    book, to = desk.book, shipment["to_address"]
    number = f"94001000{book.next_number():014d}"
    form = str(shipment["options"].get("label_format", "PNG")).lower()
    whole, _, cents = rate["rate"].partition(".")
    book.add(
        SimulatedLabel(
            label_id=shipment["id"],
            carrier=CARRIER,
            account=desk.key,
            reference=shipment["reference"] or "",
            service=rate["service"],
            numbers=[number],
            cents=int(whole) * 100 + int(cents),
            currency="USD",
            made_at=book.clock(),
            label_format=form,
            recipient=to.get("name", ""),
            city=to.get("city", ""),
            region=to.get("state", ""),
            country=to["country"],
        )
    )
    here = address_of(request)
    shipment |= {
        "tracking_code": number,
        "selected_rate": rate,
        "postage_label": {
            "object": "PostageLabel",
            "id": desk.new_id("pl"),
            "label_size": "4x6",
            "label_file_type": MEDIA[form],
            "label_url": f"{here}/files/postage_label/{shipment['id']}",
            "label_pdf_url": None,
            "label_zpl_url": None,
        },
    }


async def refund(request: Request, desk: Desk) -> Response:
    """Request a refund, which is rejected after the parcel was handed over."""
    shipment = desk.find("Shipment", request.path_params["name"])
    label = desk.label(shipment)
    if any(scan.step == HANDED_OVER for scan in desk.book.scans(label)):
        shipment["refund_status"] = "rejected"
    else:
        shipment["refund_status"], label.voided = "submitted", True
    return JSONResponse(shipment)


async def make_order(request: Request, desk: Desk) -> Response:
    """Create an order of several parcels between the same addresses."""
    asked = (await request.json())["order"]
    parts = [
        desk.keep(_shipment(desk, asked, part["parcel"], asked.get("reference"), part.get("options")))
        for part in asked["shipments"]
    ]
    rates = [
        {
            **parts[0]["rates"][place],
            "rate": amount(sum(round(float(part["rates"][place]["rate"]) * 100) for part in parts)),
        }
        for place in range(len(SERVICES))
    ]
    order = {
        "id": desk.new_id("order"),
        "object": "Order",
        "mode": "test",
        "reference": asked.get("reference", ""),
        "shipments": parts,
        "rates": rates,
        "messages": [],
    }
    return JSONResponse(desk.keep(order), 201)


async def get_order(request: Request, desk: Desk) -> Response:
    """Return an order by id or reference."""
    return JSONResponse(desk.find("Order", request.path_params["name"]))


async def buy_order(request: Request, desk: Desk) -> Response:
    """Buy all parcels of an order with one service."""
    order = desk.find("Order", request.path_params["name"])
    service = (await request.json())["service"]
    if any(part["postage_label"] for part in order["shipments"]):
        return _refusal(422, "ORDER.POSTAGE.EXISTS", "Postage already exists for this order.")
    for part in order["shipments"]:
        _sell(request, desk, part, next(rate for rate in part["rates"] if rate["service"] == service))
    return JSONResponse(order)


async def make_scan_form(request: Request, desk: Desk) -> Response:
    """Create a scan form for shipments that are on none."""
    shipments = [desk.find("Shipment", each["id"]) for each in (await request.json())["shipments"]]
    labels = [desk.label(shipment) for shipment in shipments]
    if any(label.manifest_id or label.voided for label in labels):
        return _refusal(422, "SCAN_FORM.SHIPMENT.INVALID", "A shipment is on a scan form already, or was refunded.")
    manifest = desk.book.close(CARRIER, desk.key, labels)
    form = {
        "id": f"sf_{manifest.manifest_id}",
        "object": "ScanForm",
        "status": "created",
        "tracking_codes": [label.numbers[0] for label in labels],
        "form_url": f"{address_of(request)}/files/scan_form/{manifest.manifest_id}",
    }
    for shipment in shipments:
        shipment["scan_form"] = form
    return JSONResponse(form)


async def list_trackers(request: Request, desk: Desk) -> Response:
    """Find the tracker of a parcel of this account."""
    number = request.query_params.get("tracking_code", "")
    label = desk.book.of_number(CARRIER, number)
    trackers = [_tracker(desk.book, label, number)] if label and label.account == desk.key else []
    return JSONResponse({"trackers": trackers, "has_more": False})


def _tracker(book: Book, label: SimulatedLabel, number: str) -> Document:
    details = [_scan(scan) for scan in book.scans(label)]
    last = details[-1]
    return {
        "id": f"trk_{label.label_id[4:]}",
        "object": "Tracker",
        "tracking_code": number,
        "status": last["status"],
        "status_detail": last["status_detail"],
        "carrier": "USPS",
        "tracking_details": details,
    }


def _scan(scan: Scan) -> Document:
    status, detail, text = SCANS[scan.step]
    place = {"city": scan.label.city, "state": scan.label.region, "country": scan.label.country, "zip": None}
    return {
        "object": "TrackingDetail",
        "message": text,
        "status": status,
        "status_detail": detail,
        "datetime": f"{scan.at:%Y-%m-%dT%H:%M:%SZ}",
        "source": "USPS",
        "carrier_code": "",
        "tracking_location": {"object": "TrackingLocation", **place},
    }


async def make_batch(request: Request, desk: Desk) -> Response:
    """Create a batch of shipments."""
    shipments = [desk.find("Shipment", each["id"]) for each in (await request.json())["batch"]["shipments"]]
    return JSONResponse(
        desk.keep({"id": desk.new_id("batch"), "object": "Batch", "state": "created", "num_shipments": len(shipments)}),
        201,
    )


async def get_batch(request: Request, desk: Desk) -> Response:
    """Return a batch."""
    return JSONResponse(desk.find("Batch", request.path_params["name"]))


async def make_pickup(request: Request, desk: Desk) -> Response:
    """Create a pickup with rates. It takes place only after a rate is bought."""
    asked = (await request.json())["pickup"]
    if asked["max_datetime"] <= asked["min_datetime"]:
        return _refusal(422, "PICKUP.DATETIME.INVALID", "max_datetime must be later than min_datetime.")
    if "batch" not in asked:
        desk.find("Shipment", asked["shipment"]["id"])
    pickup_id = desk.new_id("pickup")
    rate = {"id": desk.new_id("pickuprate"), "carrier": "USPS", "service": "NextDay", "rate": "0.00", "currency": "USD"}
    pickup = {"id": pickup_id, "object": "Pickup", "status": "unknown", "confirmation": None, "pickup_rates": [rate]}
    return JSONResponse(desk.keep(pickup), 201)


async def get_pickup(request: Request, desk: Desk) -> Response:
    """Return a pickup."""
    return JSONResponse(desk.find("Pickup", request.path_params["name"]))


async def buy_pickup(request: Request, desk: Desk) -> Response:
    """Buy a pickup."""
    pickup = desk.find("Pickup", request.path_params["name"])
    pickup |= {"status": "scheduled", "confirmation": f"WTC{desk.book.next_number():08d}"}
    desk.book.pickups[pickup["id"]] = "booked"
    return JSONResponse(pickup)


async def cancel_pickup(request: Request, desk: Desk) -> Response:
    """Cancel a pickup."""
    pickup = desk.find("Pickup", request.path_params["name"])
    if pickup["status"] == "canceled":
        return _refusal(422, "PICKUP.CANCELED", "The pickup was canceled already.")
    pickup["status"] = desk.book.pickups[pickup["id"]] = "canceled"
    return JSONResponse(pickup)


async def make_address(request: Request, desk: Desk) -> Response:
    """Validate an address, returning the street in upper case.

    A street with `Nowhere` is undeliverable.
    """
    document = await request.json()
    asked = document["address"]
    known = UNKNOWN_STREET not in asked["street1"].upper()
    fault = {"code": "E.ADDRESS.NOT_FOUND", "field": "address", "message": "Address not found", "suggestion": None}
    verified = {"success": known, "errors": [] if known else [fault]}
    written = {"street1": asked["street1"].upper(), "city": asked.get("city", "").upper()} if known else {}
    verdicts = {"delivery": verified} if document.get("verify") else {}
    kept = {**asked, **written, "id": desk.new_id("adr"), "object": "Address", "verifications": verdicts}
    return JSONResponse(kept, 201)


async def get_file(request: Request) -> Response:
    """Return a label or scan form. As with EasyPost, the URL is enough to read it."""
    book: Book = request.app.state.book
    name = request.path_params["name"]
    if request.path_params["kind"] == "scan_form" and name in book.manifests:
        return Response(sheet(["SCAN FORM", name, *book.manifests[name].label_ids[:40]]), media_type="application/pdf")
    label = book.labels.get(name)
    if label is None:
        return Response(status_code=404)
    content = label_bytes(label, label.numbers[0])
    return Response(content, media_type=MEDIA[label.label_format])


def _refusal(status: int, code: str, message: str, field: str | None = None) -> Response:
    errors = [{"field": field, "message": "cannot be blank"}] if field else []
    return JSONResponse({"error": {"code": code, "message": message, "errors": errors}}, status)
