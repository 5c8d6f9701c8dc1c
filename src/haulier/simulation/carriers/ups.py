"""Simulated UPS: tokens, rating, shipping, voids, tracking and pickups."""

import base64
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from haulier.simulation.carriers.book import Book, SimulatedLabel, amount, price_cents
from haulier.simulation.carriers.documents import label_bytes, sheet

CARRIER = "ups"
SERVICES = {
    "03": ("UPS Ground", 899, "4"),
    "02": ("UPS 2nd Day Air", 2150, "2"),
    "01": ("UPS Next Day Air", 4890, "1"),
}
ABROAD = {"11": ("UPS Standard", 1990, "5"), "08": ("UPS Worldwide Expedited", 6900, "4")}
GRAMS = {"LBS": 453.59237, "KGS": 1000.0}
SCANS = {
    "created": ("M", "MP", "003", "Shipper created a label, UPS has not received the package yet."),
    "picked_up": ("P", "OR", "005", "Origin Scan"),
    "in_transit": ("I", "DP", "005", "Departed from Facility"),
    "out_for_delivery": ("I", "OT", "021", "Out For Delivery Today"),
    "delivered": ("D", "FS", "011", "DELIVERED"),
}
WRONG_SECRET, UNKNOWN_STREET = "wrong", "NOWHERE"
Answering = Callable[[Request, str], Awaitable[Response]]


def ups_routes() -> list[Route]:
    """Return the routes of UPS."""
    return [
        Route("/security/v1/oauth/token", issue_token_response, methods=["POST"]),
        Route("/api/rating/{version}/{option}", _with_token(rate), methods=["POST"]),
        Route("/api/shipments/{version}/ship", _with_token(ship), methods=["POST"]),
        Route("/api/shipments/{version}/void/cancel/{shipment}", _with_token(void), methods=["DELETE"]),
        Route("/api/labels/{version}/recovery", _with_token(recover), methods=["POST"]),
        Route("/api/track/v1/details/{number}", _with_token(track), methods=["GET"]),
        Route("/api/pickupcreation/{version}/pickup", _with_token(book_pickup), methods=["POST"]),
        Route("/api/shipments/{version}/pickup/{by}", _with_token(cancel_pickup), methods=["DELETE"]),
        Route("/api/addressvalidation/{version}/{option}", _with_token(check_address), methods=["POST"]),
    ]


async def issue_token_response(request: Request) -> Response:
    """Issue a token for a client id and secret; all secrets except `wrong` are valid."""
    form = await request.form()
    kind, _, code = request.headers.get("Authorization", "").partition(" ")
    client, _, secret = base64.b64decode(code or b"").decode().partition(":")
    if kind != "Basic" or not client or secret in {"", WRONG_SECRET} or form.get("grant_type") != "client_credentials":
        return _refusal(401, "10401", "ClientId is Invalid")
    life: float = request.app.state.token_life_s
    token = f"{request.app.state.faults.token_epoch}.{int((time.time() + life) * 1000)}.{uuid4().hex}"
    return JSONResponse(
        {
            "token_type": "Bearer",
            "issued_at": str(int(time.time() * 1000)),
            "client_id": client,
            "access_token": token,
            "expires_in": str(int(life)),
            "status": "approved",
        }
    )


def _with_token(answer: Answering) -> Callable[[Request], Awaitable[Response]]:
    """Require a valid token. As with UPS, missing elements are refused with 400."""

    async def checked(request: Request) -> Response:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        epoch, _, rest = token.partition(".")
        until = rest.partition(".")[0]
        over = not until.isdecimal() or int(until) < time.time() * 1000
        if over or epoch != str(request.app.state.faults.token_epoch):
            return _refusal(401, "250002", "Invalid Authentication Information.")
        try:
            return await answer(request, request.headers.get("transId", ""))
        except (KeyError, TypeError, IndexError, ValueError) as lacking:
            return _refusal(400, "9120002", f"Missing or invalid element: {lacking}")

    return checked


async def rate(request: Request, _: str) -> Response:
    """Return the rates of all services between two places."""
    asked = (await request.json())["RateRequest"]["Shipment"]
    services, currency = _services(asked)
    rated = [_rated(asked, code, currency) for code in services]
    return JSONResponse({"RateResponse": {"Response": _success(), "RatedShipment": rated}})


def _rated(asked: dict[str, Any], code: str, currency: str) -> dict[str, Any]:
    services, _ = _services(asked)
    name, base, days = services[code]
    cents, fuel = price_cents(base, _grams(asked), len(asked["Package"])), 125
    price = _amount(cents + fuel, currency)
    return {
        "Service": {"Code": code, "Description": name},
        "RatedShipmentAlert": [{"Code": "110971", "Description": "Your invoice may vary from the displayed rates"}],
        "BillingWeight": {"UnitOfMeasurement": {"Code": "LBS", "Description": "Pounds"}, "Weight": "1.0"},
        "TransportationCharges": _amount(cents, currency),
        "ServiceOptionsCharges": _amount(0, currency),
        "ItemizedCharges": [{"Code": "375", "Description": "Fuel Surcharge", **_amount(fuel, currency)}],
        "TotalCharges": price,
        "RatedPackage": [{"Weight": "1.0", "TotalCharges": price}],
        "GuaranteedDelivery": {"BusinessDaysInTransit": days},
    }


async def ship(request: Request, _: str) -> Response:
    """Create a shipment with a label per package."""
    book: Book = request.app.state.book
    asked = (await request.json())["ShipmentRequest"]
    shipment = asked["Shipment"]
    services, currency = _services(shipment)
    code = shipment["Service"]["Code"]
    if code not in services:
        return _refusal(400, "111210", "The requested service is unavailable between the selected locations.")
    account, packages, to = shipment["Shipper"]["ShipperNumber"], shipment["Package"], shipment["ShipTo"]
    references = shipment.get("ReferenceNumber") or packages[0].get("ReferenceNumber") or [{"Value": ""}]
    numbers = [_number(book, account, code) for _ in packages]
    label = book.add(
        SimulatedLabel(
            label_id=numbers[0],
            carrier=CARRIER,
            account=account,
            reference=references[0]["Value"],
            service=code,
            numbers=numbers,
            cents=price_cents(services[code][1], _grams(shipment), len(packages)) + 125,
            currency=currency,
            made_at=book.clock(),
            label_format=asked["LabelSpecification"]["LabelImageFormat"]["Code"].lower(),
            recipient=to["Name"],
            city=to["Address"]["City"],
            region=to["Address"].get("StateProvinceCode", ""),
            country=to["Address"]["CountryCode"],
        )
    )
    forms = shipment.get("ShipmentServiceOptions", {}).get("InternationalForms")
    results = {
        "ShipmentCharges": {
            "TransportationCharges": _amount(label.cents - 125, currency),
            "ServiceOptionsCharges": _amount(0, currency),
            "TotalCharges": _amount(label.cents, currency),
        },
        "BillingWeight": {"UnitOfMeasurement": {"Code": "LBS", "Description": "Pounds"}, "Weight": "1.0"},
        "ShipmentIdentificationNumber": label.label_id,
        "PackageResults": [
            {"TrackingNumber": number, "ShippingLabel": _image("ImageFormat", label, number)} for number in numbers
        ],
        **({"Form": _form(label)} if forms else {}),
    }
    return JSONResponse({"ShipmentResponse": {"Response": _success(), "ShipmentResults": results}})


async def void(request: Request, _: str) -> Response:
    """Void a shipment that was not handed over."""
    book: Book = request.app.state.book
    label = book.labels.get(request.path_params["shipment"])
    if label is None or (label.carrier != CARRIER) or len(book.scans(label)) > 1:
        return _refusal(400, "190102", "No shipment found within the allowed void period")
    if label.voided:
        return _refusal(400, "190117", "The Pickup Request associated with this shipment has already been voided")
    label.voided = True
    status = {"Status": {"Code": "1", "Description": "Voided"}}
    return JSONResponse({"VoidShipmentResponse": {"Response": _success(), "SummaryResult": status}})


async def recover(request: Request, _: str) -> Response:
    """Return the labels with a reference."""
    book: Book = request.app.state.book
    document = (await request.json())["LabelRecoveryRequest"]
    asked = document["ReferenceValues"]
    found = book.find(CARRIER, asked["ShipperNumber"], asked["ReferenceNumber"]["Value"])
    open_ones = [label for label in found if not label.voided]
    if not open_ones:
        return _refusal(400, "300022", "No shipment was found for the reference number.")
    form = document["LabelSpecification"]["LabelImageFormat"]["Code"].lower()
    label = replace(open_ones[0], label_format=form)
    results = [
        {"TrackingNumber": number, "LabelImage": _image("LabelImageFormat", label, number)} for number in label.numbers
    ]
    answer = {"Response": _success(), "ShipmentIdentificationNumber": label.label_id, "LabelResults": results}
    return JSONResponse({"LabelRecoveryResponse": answer})


async def track(request: Request, _: str) -> Response:
    """Return the scans of a package, newest first."""
    book: Book = request.app.state.book
    number = request.path_params["number"]
    label = book.of_number(CARRIER, number)
    if label is None:
        return _refusal(404, "TW0001", "Tracking Information Not Found")
    activity = [_activity(label, scan.step, scan.at) for scan in book.scans(label)][::-1]
    package = {"trackingNumber": number, "activity": activity, "packageCount": 1}
    return JSONResponse({"trackResponse": {"shipment": [{"inquiryNumber": number, "package": [package]}]}})


def _activity(label: SimulatedLabel, step: str, at: Any) -> dict[str, Any]:
    kind, code, status, text = SCANS[step]
    address = {
        "city": label.city,
        "stateProvince": label.region,
        "countryCode": label.country,
        "country": label.country,
    }
    return {
        "location": {"address": address if step != "created" else {"countryCode": label.country}},
        "status": {"type": kind, "code": code, "statusCode": status, "description": text},
        "date": f"{at:%Y%m%d}",
        "time": f"{at:%H%M%S}",
        "gmtDate": f"{at:%Y%m%d}",
        "gmtTime": f"{at:%H:%M:%S}",
        "gmtOffset": "+00:00",
    }


async def book_pickup(request: Request, _: str) -> Response:
    """Book an on-call pickup."""
    book: Book = request.app.state.book
    asked = (await request.json())["PickupCreationRequest"]
    if asked["PickupDateInfo"]["CloseTime"] <= asked["PickupDateInfo"]["ReadyTime"]:
        return _refusal(400, "9500560", "The ready time must be earlier than the close time.")
    prn = f"2929AON{book.next_number():04d}"
    book.pickups[prn] = "booked"
    cost = {"RateType": "SD", "CurrencyCode": "USD", "GrandTotalOfAllCharge": "7.50"}
    created = {"Response": _success(), "PRN": prn, "RateStatus": {"Code": "01"}, "RateResult": cost}
    return JSONResponse({"PickupCreationResponse": created})


async def cancel_pickup(request: Request, _: str) -> Response:
    """Cancel a pickup once."""
    book: Book = request.app.state.book
    prn = request.headers.get("Prn", "")
    if book.pickups.get(prn) != "booked":
        return _refusal(400, "9510117", "The pickup was already cancelled or completed.")
    book.pickups[prn] = "cancelled"
    return JSONResponse({"PickupCancelResponse": {"Response": _success(), "PickupType": "01"}})


async def check_address(request: Request, _: str) -> Response:
    """Validate an address, returning the street in upper case.

    A street with `Nowhere` has no candidate.
    """
    key = (await request.json())["XAVRequest"]["AddressKeyFormat"]
    lines = [line.upper() for line in key["AddressLine"]]
    if any(UNKNOWN_STREET in line for line in lines):
        return JSONResponse({"XAVResponse": {"Response": _success(), "NoCandidatesIndicator": ""}})
    candidate = {
        "AddressClassification": {"Code": "1", "Description": "Commercial"},
        "AddressKeyFormat": {**key, "AddressLine": lines, "PoliticalDivision2": key["PoliticalDivision2"].upper()},
    }
    found = {"Response": _success(), "ValidAddressIndicator": "", "Candidate": [candidate]}
    return JSONResponse({"XAVResponse": found})


def _services(asked: dict[str, Any]) -> tuple[dict[str, tuple[str, int, str]], str]:
    here, there = (asked[end]["Address"]["CountryCode"] for end in ("ShipFrom", "ShipTo"))
    return (SERVICES if here == there else ABROAD), "CAD" if here == "CA" else "USD"


def _grams(asked: dict[str, Any]) -> float:
    weights = [package["PackageWeight"] for package in asked["Package"]]
    return sum(float(each["Weight"]) * GRAMS[each["UnitOfMeasurement"]["Code"]] for each in weights)


def _number(book: Book, account: str, service: str) -> str:
    """Return a tracking number with its check digit."""
    body = f"{account:0>6.6}{service}{book.next_number():07d}"
    values = [int(sign) if sign.isdigit() else (ord(sign.upper()) - 63) % 10 for sign in body]
    total = sum(values[0::2]) + 2 * sum(values[1::2])
    return f"1Z{body}{-total % 10}"


def _image(name: str, label: SimulatedLabel, number: str) -> dict[str, Any]:
    content = label_bytes(label, number)
    return {name: {"Code": label.label_format.upper()}, "GraphicImage": base64.b64encode(content).decode()}


def _form(label: SimulatedLabel) -> dict[str, Any]:
    content = sheet(["COMMERCIAL INVOICE", label.reference, label.recipient])
    image = {"ImageFormat": {"Code": "PDF"}, "GraphicImage": base64.b64encode(content).decode()}
    return {"Code": "01", "Description": "All Requested International Forms", "Image": image}


def _amount(cents: int, currency: str) -> dict[str, str]:
    return {"CurrencyCode": currency, "MonetaryValue": amount(cents)}


def _success() -> dict[str, Any]:
    return {"ResponseStatus": {"Code": "1", "Description": "Success"}, "TransactionReference": {"CustomerContext": "-"}}


def _refusal(status: int, code: str, message: str) -> Response:
    return JSONResponse({"response": {"errors": [{"code": code, "message": message}]}}, status)
