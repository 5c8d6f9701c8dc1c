"""Simulated Canada Post: rating, shipping, manifests, tracking and pickups."""

import base64
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from xml.etree.ElementTree import Element, SubElement, tostring

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from haulier.simulation.carriers.book import HANDED_OVER, Book, Scan, SimulatedLabel, amount, price_cents
from haulier.simulation.carriers.documents import label_bytes, sheet
from haulier.simulation.carriers.faults import address_of
from haulier.simulation.carriers.xml_requests import Attributes, Doc, Values, fill

CARRIER = "canada-post"
DOMESTIC = {"DOM.EP": ("Expedited Parcel", 1120, 4), "DOM.XP": ("Xpresspost", 1660, 2), "DOM.PC": ("Priority", 2890, 1)}
AMERICAN = {"USA.EP": ("Expedited Parcel USA", 1990, 6), "USA.XP": ("Xpresspost USA", 3350, 3)}
ABROAD = {"INT.XP": ("Xpresspost International", 7450, 5), "INT.IP.SURF": ("International Parcel Surface", 4310, 40)}
FUEL_CENTS, TAX_PERCENT = 118, 13
RATES, SHIPMENTS = "vnd.cpc.ship.rate-v4", "vnd.cpc.shipment-v8"
MANIFESTS, TRACKING, PICKUPS = "vnd.cpc.manifest-v8", "vnd.cpc.track-v2", "vnd.cpc.pickuprequest"
SPACES = {
    RATES: "http://www.canadapost.ca/ws/ship/rate-v4",
    SHIPMENTS: "http://www.canadapost.ca/ws/shipment-v8",
    MANIFESTS: "http://www.canadapost.ca/ws/manifest-v8",
    TRACKING: "http://www.canadapost.ca/ws/track",
    PICKUPS: "http://www.canadapost.ca/ws/pickuprequest",
}
SCANS = {
    "created": ("3000", "Electronic information submitted by shipper"),
    "picked_up": ("0101", "Item picked up by Canada Post"),
    "in_transit": ("0100", "Item processed"),
    "out_for_delivery": ("0174", "Item out for delivery"),
    "delivered": ("1498", "Item successfully delivered"),
}
EASTERN = timedelta(hours=-5)
WRONG_PASSWORD = "wrong"
Answering = Callable[[Request, Book, str], Awaitable[Response]]
NOT_TOLD = (
    *("archive-exists", "changed-expected-date", "destination-postal-id", "expected-delivery-date"),
    *("changed-expected-delivery-reason", "mailed-by-customer-number", "mailed-on-behalf-of-customer-number"),
    *("original-pin", "service-name", "service-name-2", "customer-ref-1", "customer-ref-2", "return-pin"),
    *("signature-image-exists", "suppress-signature"),
)
"""Members of tracking answers that are empty here."""


def canada_post_routes() -> list[Route]:
    """Return the routes of Canada Post."""
    shipments = "/rs/{customer}/{mobo}/shipment"
    return [
        Route("/rs/customer/{customer}", _with_password(get_customer), methods=["GET"]),
        Route("/rs/ship/price", _with_password(rate), methods=["POST"]),
        Route("/rs/artifact/{customer}/{shipment}/{page}", _with_password(get_artifact), methods=["GET"]),
        Route(shipments, _with_password(ship), methods=["POST"]),
        Route(shipments, _with_password(list_shipments), methods=["GET"]),
        Route(shipments + "/{shipment}", _with_password(get_shipment), methods=["GET"]),
        Route(shipments + "/{shipment}", _with_password(void), methods=["DELETE"]),
        Route(shipments + "/{shipment}/refund", _with_password(refund), methods=["POST"]),
        Route("/rs/{customer}/{mobo}/manifest", _with_password(transmit), methods=["POST"]),
        Route("/rs/{customer}/{mobo}/manifest/{manifest}", _with_password(get_manifest), methods=["GET"]),
        Route("/vis/track/pin/{pin}/detail", _with_password(track), methods=["GET"]),
        Route("/enab/{customer}/pickuprequest", _with_password(book_pickup), methods=["POST"]),
        Route("/enab/{customer}/pickuprequest/{request}", _with_password(cancel_pickup), methods=["DELETE"]),
    ]


def _with_password(answer: Answering) -> Callable[[Request], Awaitable[Response]]:
    """Require basic authentication; all passwords except `wrong` are valid.

    Customers see their own data only.
    """

    async def checked(request: Request) -> Response:
        code = request.headers.get("Authorization", "").removeprefix("Basic ")
        user, _, password = base64.b64decode(code or b"").decode().partition(":")
        if not user or password in {"", WRONG_PASSWORD}:
            return _refusal(401, "AA001", "UserId or Password is incorrect.")
        if "*/*" in request.headers.get("Accept", "*/*"):
            return _refusal(406, "9999", "The Accept header must name the version of the service.")
        try:
            return await answer(request, request.app.state.book, request.path_params.get("customer", user))
        except (KeyError, ValueError, SyntaxError) as wrong:
            return _refusal(400, "Server", f"The request does not follow the schema: {wrong}")

    return checked


async def get_customer(request: Request, book: Book, customer: str) -> Response:
    """Return the customer."""
    return _xml("vnd.cpc.customer", "customer", {"customer-number": customer})


async def rate(request: Request, book: Book, customer: str) -> Response:
    """Return prices including tax."""
    asked = Doc.parse(await request.body(), "mailing-scenario")
    services = _services(asked)
    named = asked.texts("services", "service-code")
    if unknown := [code for code in named if code not in services]:
        return _refusal(400, "7229", f"Service {unknown[0]} is not available for this destination.")
    weight = float(asked.need("parcel-characteristics", "weight")) * 1000
    here = address_of(request)
    quotes = [_quote(code, services[code], weight, here) for code in services if not named or code in named]
    return _xml(RATES, "price-quotes", {"price-quote": quotes})


def _quote(code: str, service: tuple[str, int, int], weight_g: float, here: str) -> Values:
    name, base, days = service
    base_cents = price_cents(base, weight_g)
    tax = _tax(base_cents + FUEL_CENTS)
    fuel = {"adjustment-code": "FUELSC", "adjustment-name": "Fuel surcharge", "adjustment-cost": amount(FUEL_CENTS)}
    return {
        "service-code": code,
        "service-link": Attributes(
            {"rel": "service", "href": f"{here}/rs/ship/service/{code}", "media-type": f"application/{RATES}+xml"}
        ),
        "service-name": name,
        "price-details": {
            "base": amount(base_cents),
            "taxes": {"gst": "0.00", "pst": "0", "hst": amount(tax)},
            "due": amount(base_cents + FUEL_CENTS + tax),
            "adjustments": {"adjustment": [fuel]},
        },
        "weight-details": {},
        "service-standard": {
            "am-delivery": "false",
            "guaranteed-delivery": "true" if days < 4 else "false",
            "expected-transit-time": str(days),
        },
    }


async def ship(request: Request, book: Book, customer: str) -> Response:
    """Create a shipment in its group. Repeated request ids are not detected."""
    asked = Doc.parse(await request.body(), "shipment")
    spec = asked.child("delivery-spec")
    country = spec.need("destination", "address-details", "country-code")
    services = DOMESTIC if country == "CA" else AMERICAN if country == "US" else ABROAD
    code = spec.need("service-code")
    if code not in services:
        return _refusal(400, "7229", f"Service {code} is not available for this destination.")
    cents = price_cents(services[code][1], float(spec.need("parcel-characteristics", "weight")) * 1000) + FUEL_CENTS
    number = book.next_number()
    label = book.add(
        SimulatedLabel(
            label_id=f"347881{number:012d}",
            carrier=CARRIER,
            account=customer,
            reference=asked.text("customer-request-id"),
            service=code,
            numbers=[f"{int(customer) if customer.isdecimal() else 0:010d}"[-7:] + f"{number:09d}"],
            cents=cents + _tax(cents),
            currency="CAD",
            made_at=book.clock(),
            label_format=(spec.text("print-preferences", "encoding") or "PDF").lower(),
            recipient=spec.text("destination", "name") or spec.need("destination", "company"),
            city=spec.need("destination", "address-details", "city"),
            region=spec.text("destination", "address-details", "prov-state"),
            country=country,
            group=asked.need("group-id"),
        )
    )
    return _shipment_info(request, label)


async def list_shipments(request: Request, book: Book, customer: str) -> Response:
    """List the shipments of a request id, or the open ones of a group."""
    query = request.query_params
    own = [label for label in book.labels.values() if (label.carrier, label.account) == (CARRIER, customer)]
    if "requestId" in query:
        found = [label for label in own if label.reference == query["requestId"]]
    else:
        found = [label for label in own if label.group == query["groupId"] and label.manifest_id is None]
    links = [_link(request, "shipment", label, SHIPMENTS) for label in found if not label.voided]
    return _xml(SHIPMENTS, "shipments", {}, links)


async def get_shipment(request: Request, book: Book, customer: str) -> Response:
    """Return a shipment of the customer."""
    label = _own(book, customer, request.path_params["shipment"])
    return _shipment_info(request, label) if label and not label.voided else _not_found()


async def void(request: Request, book: Book, customer: str) -> Response:
    """Void a shipment that is not on a manifest."""
    label = _own(book, customer, request.path_params["shipment"])
    if label is None or label.voided:
        return _not_found()
    if label.manifest_id:
        return _refusal(400, "8064", "The shipment has been transmitted and cannot be voided.")
    label.voided = True
    return Response(status_code=204)


async def refund(request: Request, book: Book, customer: str) -> Response:
    """Request a refund for a shipment that was not handed over.

    Canada Post answers by email.
    """
    Doc.parse(await request.body(), "shipment-refund-request").need("email")
    label = _own(book, customer, request.path_params["shipment"])
    if label is None:
        return _not_found()
    if any(scan.step == HANDED_OVER for scan in book.scans(label)):
        return _refusal(400, "7292", "A refund cannot be requested: the item was scanned.")
    label.refund_asked = True
    info = {"service-ticket-date": f"{book.clock():%Y-%m-%d}", "service-ticket-id": f"{book.next_number():010d}"}
    return _xml(SHIPMENTS, "shipment-refund-request-info", info)


async def get_artifact(request: Request, book: Book, customer: str) -> Response:
    """Return a label or the sheet of a manifest."""
    name = request.path_params["shipment"]
    if manifest := book.manifests.get(name):
        return Response(sheet(["MANIFEST", name, *manifest.label_ids[:40]]), media_type="application/pdf")
    label = _own(book, customer, name)
    if label is None or label.voided:
        return _not_found()
    content = label_bytes(label, label.numbers[0])
    return Response(content, media_type=f"application/{label.label_format}")


async def transmit(request: Request, book: Book, customer: str) -> Response:
    """Create the manifest of groups without excluded shipments."""
    asked = Doc.parse(await request.body(), "transmit-set")
    groups, excluded = asked.texts("group-ids", "group-id"), asked.texts("excluded-shipments", "shipment-id")
    asked.need("manifest-address", "address-details", "city")
    labels = [
        label
        for label in book.labels.values()
        if (label.carrier, label.account) == (CARRIER, customer)
        and label.group in groups
        and label.label_id not in excluded
        and not label.voided
        and label.manifest_id is None
    ]
    if not labels:
        return _refusal(400, "9123", "The group has no shipments.")
    manifest = book.close(CARRIER, customer, labels)
    link = {"rel": "manifest", "href": f"{request.url.replace(query='')}/{manifest.manifest_id}"}
    return _xml(MANIFESTS, "manifests", {}, [{**link, "media-type": f"application/{MANIFESTS}+xml"}])


async def get_manifest(request: Request, book: Book, customer: str) -> Response:
    """Return a manifest's number and the link to its sheet."""
    manifest = book.manifests.get(request.path_params["manifest"])
    if manifest is None:
        return _not_found()
    link = {
        "rel": "artifact",
        "href": _artifact(request, customer, manifest.manifest_id),
        "media-type": "application/pdf",
    }
    return _xml(MANIFESTS, "manifest", {"po-number": f"P{manifest.manifest_id[-9:]}", "links": [link]})


async def track(request: Request, book: Book, customer: str) -> Response:
    """Return scans in Eastern time, newest first."""
    pin = request.path_params["pin"]
    label = book.of_number(CARRIER, pin)
    if label is None:
        return _refusal(404, "004", "No Pin History")
    scans = [_occurrence(scan) for scan in book.scans(label)][::-1]
    told = dict.fromkeys(NOT_TOLD, "") | {"pin": pin, "active-exists": "1", "delivery-options": {}}
    return _xml(TRACKING, "tracking-detail", {**told, "significant-events": {"occurrence": scans}})


def _occurrence(scan: Scan) -> Values:
    code, text = SCANS[scan.step]
    local = scan.at + EASTERN
    return {
        "event-identifier": code,
        "event-date": f"{local:%Y-%m-%d}",
        "event-time": f"{local:%H:%M:%S}",
        "event-time-zone": "EST",
        "event-description": text,
        "signatory-name": "",
        "event-site": scan.label.city,
        "event-province": scan.label.region if scan.label.country == "CA" else "",
        "event-retail-location-id": "",
        "event-retail-name": "",
    }


async def book_pickup(request: Request, book: Book, customer: str) -> Response:
    """Book an on-demand pickup."""
    asked = Doc.parse(await request.body(), "pickup-request-details")
    times = asked.child("pickup-times").child("on-demand-pickup-time")
    if times.need("closing-time") <= times.need("preferred-time"):
        return _refusal(400, "9710", "The closing time must be later than the preferred time.")
    number = f"{book.next_number():010d}"
    book.pickups[number] = "booked"
    header = {"request-id": number, "request-status": "Active", "pickup-type": "OnDemand"}
    values = {
        "pickup-request-header": header,
        "pickup-request-price": {"pre-tax-amount": "3.50", "hst-amount": "0.46", "due-amount": "3.96"},
        "links": [{"rel": "self", "href": str(request.url), "media-type": f"application/{PICKUPS}+xml"}],
    }
    return _xml(PICKUPS, "pickup-request-info", values)


async def cancel_pickup(request: Request, book: Book, customer: str) -> Response:
    """Cancel a pickup once."""
    number = request.path_params["request"]
    if book.pickups.get(number) != "booked":
        return _not_found()
    book.pickups[number] = "cancelled"
    return Response(status_code=204)


def _services(asked: Doc) -> dict[str, tuple[str, int, int]]:
    asked.need("origin-postal-code")
    there = asked.child("destination")
    if there.text("domestic", "postal-code"):
        return DOMESTIC
    return AMERICAN if there.text("united-states", "zip-code") else ABROAD


def _tax(cents: int) -> int:
    return (cents * TAX_PERCENT + 50) // 100


def _own(book: Book, customer: str, shipment: str) -> SimulatedLabel | None:
    label = book.labels.get(shipment)
    return label if label and (label.carrier, label.account) == (CARRIER, customer) else None


def _shipment_info(request: Request, label: SimulatedLabel) -> Response:
    own = _link(request, "self", label, SHIPMENTS)
    sheet_link = {
        "rel": "label",
        "href": _artifact(request, label.account, label.label_id),
        "media-type": f"application/{label.label_format}",
        "index": "0",
    }
    values = {
        "customer-request-id": label.reference or None,
        "shipment-id": label.label_id,
        "shipment-status": "transmitted" if label.manifest_id else "created",
        "tracking-pin": label.numbers[0],
        "links": [own, sheet_link],
        "shipment-price": {
            "service-code": label.service,
            "base-amount": amount(label.cents),
            "pre-tax-amount": amount(label.cents),
            **dict.fromkeys(("gst-amount", "pst-amount", "hst-amount"), "0.00"),
            "due-amount": amount(label.cents),
            "service-standard": {"am-delivery": "false", "guaranteed-delivery": "true"},
            "rated-weight": "1.000",
        },
    }
    return _xml(SHIPMENTS, "shipment-info", values)


def _link(request: Request, rel: str, label: SimulatedLabel, media: str) -> dict[str, str]:
    here = address_of(request)
    path = f"{here}/rs/{label.account}/{label.account}/shipment/{label.label_id}"
    return {"rel": rel, "href": path, "media-type": f"application/{media}+xml"}


def _artifact(request: Request, customer: str, name: str) -> str:
    return f"{address_of(request)}/rs/artifact/{customer}/{name}/0"


def _xml(media: str, name: str, values: Values, links: Sequence[Mapping[str, str]] = ()) -> Response:
    root = Element(name, xmlns=SPACES.get(media, "http://www.canadapost.ca/ws/customer"))
    fill(root, values)
    for link in links:
        SubElement(root, "link", dict(link))
    return Response(tostring(root, encoding="utf-8", xml_declaration=True), media_type=f"application/{media}+xml")


def _not_found() -> Response:
    return _refusal(404, "404", "Not found")


def _refusal(status: int, code: str, text: str) -> Response:
    root = Element("messages", xmlns="http://www.canadapost.ca/ws/messages")
    message = SubElement(root, "message")
    SubElement(message, "code").text = code
    SubElement(message, "description").text = text
    return Response(tostring(root, encoding="utf-8"), status, media_type="application/vnd.cpc.messages+xml")
