"""Simulated ShipEngine: an account with two carriers."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from haulier.simulation.carriers.book import HANDED_OVER, Book, SimulatedLabel
from haulier.simulation.carriers.documents import sheet
from haulier.simulation.carriers.faults import address_of
from haulier.simulation.carriers.shipengine_forms import (
    CARRIER,
    CARRIERS,
    SCANS,
    WRONG_KEY,
    address_form,
    done_form,
    event_form,
    label_form,
    moment_form,
    page_form,
    price_of,
    rate_form,
    refusal,
    request_id,
    shipment_form,
    unknown_thing,
)

Answering = Callable[[Request, Book, str], Awaitable[Response]]


def shipengine_routes() -> list[Route]:
    """Return the routes of ShipEngine."""
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
    """Require an API key; all keys except `wrong` are valid."""

    async def checked(request: Request) -> Response:
        key = request.headers.get("API-Key", "")
        if key in {"", WRONG_KEY}:
            return refusal(401, "unauthorized", "The API key is not valid.", "security")
        try:
            return await answer(request, request.app.state.book, key)
        except (KeyError, TypeError, IndexError, ValueError) as lacking:
            return refusal(400, "field_value_required", f"Missing or invalid: {lacking}")

    return checked


async def list_carriers(request: Request, book: Book, key: str) -> Response:
    """List the carrier accounts."""
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
    return JSONResponse({"carriers": carriers, "request_id": request_id(book), "errors": []})


async def rate(request: Request, book: Book, key: str) -> Response:
    """Return rates of the requested carrier accounts."""
    asked = await request.json()
    shipment, options = asked["shipment"], asked["rate_options"]
    rates = [
        rate_form(book, shipment, carrier_id, service)
        for carrier_id in options["carrier_ids"]
        for service in CARRIERS[carrier_id][2]
        if not options.get("service_codes") or service in options["service_codes"]
    ]
    answer = {
        "rates": rates,
        "invalid_rates": [],
        "rate_request_id": f"se-{book.next_number()}",
        "shipment_id": f"se-{book.next_number()}",
        "created_at": moment_form(book.clock()),
        "status": "completed",
        "errors": [],
    }
    return JSONResponse({**shipment_form(shipment, answer), "rate_response": answer})


async def buy(request: Request, book: Book, key: str) -> Response:
    """Buy a label. A repeated reference is refused."""
    asked = await request.json()
    shipment = asked["shipment"]
    carrier_id, service, to = shipment["carrier_id"], shipment["service_code"], shipment["ship_to"]
    reference = shipment.get("external_shipment_id", "")
    if reference and book.find(CARRIER, key, reference):
        return refusal(400, "identifier_conflict", "external_shipment_id is in use.", field="external_shipment_id")
    numbers = [f"9400111{book.next_number():015d}" for _ in shipment["packages"]]
    label = book.add(
        SimulatedLabel(
            label_id=f"se-{book.next_number()}",
            carrier=CARRIER,
            account=key,
            reference=reference,
            service=f"{carrier_id}:{service}",
            numbers=numbers,
            cents=price_of(shipment, carrier_id, service),
            currency="USD",
            made_at=book.clock(),
            label_format=asked.get("label_format", "pdf"),
            recipient=to["name"],
            city=to["city_locality"],
            region=to["state_province"],
            country=to["country_code"],
            street=to["address_line1"],
            postal_code=to["postal_code"],
        )
    )
    return JSONResponse(label_form(label))


async def list_labels(request: Request, book: Book, key: str) -> Response:
    """Find labels by tracking number."""
    number = request.query_params.get("tracking_number", "")
    found = book.of_number(CARRIER, number)
    labels = [label_form(found)] if found and found.account == key else []
    return JSONResponse(page_form("labels", labels, str(request.url)))


async def find_label(request: Request, book: Book, key: str) -> Response:
    """Return the label with a reference."""
    found = book.find(CARRIER, key, request.path_params["reference"])
    return JSONResponse(label_form(found[0])) if found else unknown_thing()


async def void(request: Request, book: Book, key: str) -> Response:
    """Void a label that was not handed over."""
    label = _own(book, key, request.path_params["label_id"])
    if label is None:
        return unknown_thing()
    if label.voided:
        return JSONResponse({"approved": False, "message": "Already voided.", "reason_code": "label_already_voided"})
    if any(scan.step == HANDED_OVER for scan in book.scans(label)):
        return JSONResponse({"approved": False, "message": "It was used.", "reason_code": "label_already_used"})
    label.voided = True
    return JSONResponse({"approved": True, "message": "Request for refund submitted."})


async def track(request: Request, book: Book, key: str) -> Response:
    """Return scans, newest first."""
    label = _own(book, key, request.path_params["label_id"])
    if label is None:
        return unknown_thing()
    events = [event_form(scan) for scan in book.scans(label)][::-1]
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


async def close_day(request: Request, book: Book, key: str) -> Response:
    """Create a manifest per carrier account."""
    ids = (await request.json())["label_ids"]
    labels = [label for label_id in ids if (label := _own(book, key, label_id))]
    able = [label for label in labels if not label.voided and label.manifest_id is None]
    if not able:
        return refusal(400, "invalid_status", "No label can be manifested.")
    made = [
        book.close(CARRIER, key, [label for label in able if label.service.partition(":")[0] == carrier_id])
        for carrier_id in sorted({label.service.partition(":")[0] for label in able})
    ]
    manifests = [_manifest(request, each.manifest_id) for each in made]
    return JSONResponse({"manifests": manifests, "manifest_requests": [], "request_id": request_id(book), "errors": []})


async def list_manifests(request: Request, book: Book, key: str) -> Response:
    """List the manifests of this account."""
    own = [_manifest(request, each.manifest_id) for each in book.manifests.values() if each.account == key]
    return JSONResponse(page_form("manifests", own, str(request.url)))


def _manifest(request: Request, manifest_id: str) -> dict[str, Any]:
    book: Book = request.app.state.book
    manifest = book.manifests[manifest_id]
    here = address_of(request)
    return {
        "manifest_id": f"se-{manifest_id}",
        "form_id": f"se-{manifest_id}",
        "created_at": moment_form(manifest.made_at),
        "ship_date": moment_form(manifest.made_at),
        "shipments": len(manifest.label_ids),
        "label_ids": manifest.label_ids,
        "warehouse_id": "se-1",
        "submission_id": manifest_id,
        "carrier_id": book.labels[manifest.label_ids[0]].service.partition(":")[0],
        "manifest_download": {"href": f"{here}/v1/downloads/manifest/{manifest_id}.pdf"},
    }


async def manifest_document(request: Request, book: Book, key: str) -> Response:
    """Return the manifest sheet that a driver signs."""
    manifest = book.manifests.get(request.path_params["manifest_id"])
    if manifest is None:
        return unknown_thing()
    return Response(sheet(["MANIFEST", manifest.manifest_id, *manifest.label_ids[:40]]), media_type="application/pdf")


async def book_pickup(request: Request, book: Book, key: str) -> Response:
    """Book a pickup of labels."""
    asked = await request.json()
    first = _own(book, key, asked["label_ids"][0])
    if first is None:
        return refusal(400, "invalid_identifier", "label_ids has no label of yours.", field="label_ids")
    pickup_id = f"pik_{book.next_number()}"
    book.pickups[pickup_id] = "booked"
    made = {
        **done_form(book),
        "pickup_id": pickup_id,
        "created_at": moment_form(book.clock()),
        "confirmation_number": f"C{pickup_id}",
    }
    return JSONResponse({**asked, **made, "carrier_id": first.service.partition(":")[0]})


async def cancel_pickup(request: Request, book: Book, key: str) -> Response:
    """Cancel a pickup once."""
    pickup_id = request.path_params["pickup_id"]
    if book.pickups.get(pickup_id) != "booked":
        return unknown_thing()
    book.pickups[pickup_id] = "cancelled"
    return JSONResponse({**done_form(book), "pickup_id": pickup_id})


async def check_addresses(request: Request, book: Book, key: str) -> Response:
    """Validate addresses, returning streets in upper case.

    A street with `Nowhere` is unknown.
    """
    return JSONResponse([address_form(address) for address in await request.json()])


def _own(book: Book, key: str, label_id: str) -> SimulatedLabel | None:
    label = book.labels.get(label_id)
    return label if label and (label.carrier, label.account) == (CARRIER, key) else None
