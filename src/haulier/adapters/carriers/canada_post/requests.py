"""Builders of Canada Post request bodies, without I/O.

Weights are in kilograms, lengths in centimetres, and postal codes have no space.
"""

from datetime import date, datetime
from typing import Any

from haulier.adapters.carriers.canada_post.xml import write_xml
from haulier.adapters.carriers.measures import centimetres, kilograms
from haulier.adapters.carriers.parties import (
    crosses_border,
    digits,
    given,
    require_values_in,
    split_phone,
    street_lines,
)
from haulier.contexts.shipping.ports import (
    CarrierRefused,
    CustomsItem,
    LabelFormat,
    Parcel,
    Party,
    PickupRequest,
    Shipment,
)
from haulier.contexts.shipping.public import make_own_message

RATING = "http://www.canadapost.ca/ws/ship/rate-v4"
SHIPPING = "http://www.canadapost.ca/ws/shipment-v8"
MANIFESTS = "http://www.canadapost.ca/ws/manifest-v8"
PICKUPS = "http://www.canadapost.ca/ws/pickuprequest"
LINE_WIDTH, LINES = 44, 2
ONE_PARCEL = make_own_message("carrier.one_parcel", "one_parcel", field="parcels", carrier="Canada Post")
REASONS = {
    "sale": "SOG",
    "sample": "SAM",
    "repair": "REP",
    "documents": "DOC",
}
"""Customs reasons as Canada Post codes. Any other is sent as `OTH` with a description."""
FIRST_PICKUP, LAST_PICKUP = 12 * 4, 17 * 4 + 3
"""Pickup hours, 12:00 to 17:45, in quarters of an hour since midnight."""
TOO_LATE = make_own_message(
    "carrier.pickup_hours", "pickup_hours", field="ready_at", carrier="Canada Post", start="12:00", end="17:45"
)
SIGNATURE, COVERAGE = "SO", "COV"


def one_parcel(shipment: Shipment) -> Parcel:
    """Return the only parcel.

    Raises `CarrierRefused` for several, because they cannot be bought atomically.
    """
    if len(shipment.parcels) != 1:
        raise CarrierRefused((ONE_PARCEL,))
    return shipment.parcels[0]


def group_of(day: date) -> str:
    """Return the group that collects a day's shipments for the manifest."""
    return f"{day:%Y%m%d}"


def rate_request(shipment: Shipment, customer: str, contract: str, services: list[str]) -> bytes:
    """Build a rate request for the given services, or for all."""
    parcel, to = one_parcel(shipment), shipment.recipient
    domestic, american = to.country == "CA", to.country == "US"
    there = (
        {"domestic": {"postal-code": _postal(to)}}
        if domestic
        else {"united-states": {"zip-code": to.postal_code}}
        if american
        else {"international": given(**{"country-code": to.country, "postal-code": to.postal_code})}
    )
    values = {
        "customer-number": customer,
        "contract-id": contract or None,
        "expected-mailing-date": shipment.ship_at.date().isoformat(),
        "options": _options(shipment, parcel),
        "parcel-characteristics": _characteristics(parcel),
        "services": {"service-code": services} if services else None,
        "origin-postal-code": _postal(shipment.sender),
        "destination": there,
    }
    return write_xml("mailing-scenario", RATING, values)


def shipment_request(
    shipment: Shipment, customer: str, contract: str, service: str, label_format: LabelFormat
) -> bytes:
    """Build a purchase under the shipment's reference, in the group of its day.

    PNG is not available, so PDF is requested instead.
    """
    parcel = one_parcel(shipment)
    texts = [*shipment.customer_references, None, None]
    spec = {
        "service-code": service,
        "sender": _sender(shipment.sender),
        "destination": _destination(shipment.recipient),
        "options": _options(shipment, parcel),
        "parcel-characteristics": _characteristics(parcel),
        "print-preferences": {
            "output-format": "4x6",
            "encoding": "ZPL" if label_format is LabelFormat.ZPL else "PDF",
        },
        "preferences": {
            "show-packing-instructions": "false",
            "show-postage-rate": "false",
            "show-insured-value": "false",
        },
        "references": {"customer-ref-1": texts[0][:35], "customer-ref-2": texts[1] and texts[1][:35]}
        if texts[0]
        else None,
        "customs": _customs(shipment) if crosses_border(shipment.sender, shipment.recipient) else None,
        "settlement-info": {
            "contract-id": contract or None,
            "intended-method-of-payment": "Account" if contract else "CreditCard",
        },
    }
    values = {
        "customer-request-id": shipment.reference,
        "group-id": group_of(shipment.ship_at.date()),
        "requested-shipping-point": _postal(shipment.sender),
        "cpc-pickup-indicator": "true",
        "expected-mailing-date": shipment.ship_at.date().isoformat(),
        "provide-pricing-info": "true",
        "delivery-spec": spec,
    }
    return write_xml("shipment", SHIPPING, values)


def refund_request(email: str) -> bytes:
    """Build a refund request for a shipment that is already on a manifest."""
    return write_xml("shipment-refund-request", SHIPPING, {"email": email})


def transmit_request(day: date, place: Party, contract: str, excluded: list[str]) -> bytes:
    """Build a request to transmit a day's group, except for the excluded shipments."""
    lines = street_lines(place, "place", LINE_WIDTH, LINES)
    values = {
        "group-ids": {"group-id": group_of(day)},
        "cpc-pickup-indicator": "true",
        "requested-shipping-point": _postal(place),
        "detailed-manifests": "true",
        "method-of-payment": "Account" if contract else "CreditCard",
        "manifest-address": {
            "manifest-company": (place.company or place.name)[:44],
            "manifest-name": place.name[:44],
            "phone-number": place.phone or "0000000000",
            "address-details": _address_details(place, lines),
        },
        "excluded-shipments": {"shipment-id": excluded} if excluded else None,
    }
    return write_xml("transmit-set", MANIFESTS, values)


def pickup_request(request: PickupRequest, contract: str) -> bytes:
    """Build a request for an on-demand pickup.

    Raises `CarrierRefused` for a time outside Canada Post's hours.
    """
    place = request.place
    if _quarter(request.closes_at) < FIRST_PICKUP or _quarter(request.ready_at) > LAST_PICKUP:
        raise CarrierRefused((TOO_LATE,))
    values = {
        "customer-request-id": request.reference[:35],
        "pickup-type": "OnDemand",
        "pickup-location": {
            "business-address-flag": "false",
            "alternate-address": {
                "company": (place.company or place.name)[:35],
                "address-line-1": " ".join(street_lines(place, "place", 35, 1)),
                "city": place.city,
                "province": place.region,
                "postal-code": _postal(place),
            },
        },
        "contact-info": {
            "contact-name": place.name[:45],
            "email": place.email or "none@example.com",
            "contact-phone": _dashed(place.phone),
        },
        "location-details": {"pickup-instructions": request.note[:132] or "At the door"},
        "pickup-volume": str(request.parcels),
        "pickup-times": {
            "on-demand-pickup-time": {
                "date": request.ready_at.date().isoformat(),
                "preferred-time": _pickup_time(request.ready_at, later=True),
                "closing-time": _pickup_time(request.closes_at),
            }
        },
        "payment-info": {"contract-id": contract} if contract else None,
    }
    return write_xml("pickup-request-details", PICKUPS, values)


def _quarter(at: datetime, *, later: bool = False) -> int:
    """Return the quarter of an hour of the day, rounded up if `later`."""
    return (at.hour * 60 + at.minute + (14 if later else 0)) // 15


def _pickup_time(at: datetime, *, later: bool = False) -> str:
    """Return a time in quarters of an hour, limited to 12:00–17:45."""
    quarter = min(max(_quarter(at, later=later), FIRST_PICKUP), LAST_PICKUP)
    return f"{quarter // 4:02}:{quarter % 4 * 15:02}"


def _postal(party: Party) -> str:
    return party.postal_code.replace(" ", "").upper()


def _dashed(phone: str) -> str:
    number = (digits(split_phone(phone)[0]) or "0000000000")[-10:].rjust(10, "0")
    return f"{number[:3]}-{number[3:6]}-{number[6:]}"


def _options(shipment: Shipment, parcel: Parcel) -> dict[str, Any] | None:
    require_values_in(shipment, "CAD", "Canada Post")
    options: list[dict[str, Any]] = []
    if shipment.signature:
        options.append({"option-code": SIGNATURE})
    if parcel.declared_value:
        options.append({"option-code": COVERAGE, "option-amount": f"{parcel.declared_value.major:.2f}"})
    return {"option": options} if options else None


def _characteristics(parcel: Parcel) -> dict[str, Any]:
    sides = (parcel.length_mm, parcel.width_mm, parcel.height_mm)
    names = ("length", "width", "height")
    # Sorted because Canada Post requires the longest side as the length.
    lengths = {name: centimetres(mm, 1) for name, mm in zip(names, sorted(sides, reverse=True), strict=True)}
    return {"weight": kilograms(parcel.weight_g, 3), "dimensions": lengths if all(sides) else None}


def _sender(party: Party) -> dict[str, Any]:
    return {
        "name": party.name[:44],
        "company": (party.company or party.name)[:44],
        "contact-phone": split_phone(party.phone)[0] or "0000000000",
        "address-details": _address_details(party, street_lines(party, "sender", LINE_WIDTH, LINES), country=True),
    }


def _destination(party: Party) -> dict[str, Any]:
    return {
        "name": party.name[:44],
        "company": party.company[:44] or None,
        "client-voice-number": split_phone(party.phone)[0] or None,
        "address-details": _address_details(party, street_lines(party, "recipient", LINE_WIDTH, LINES), country=True),
    }


def _address_details(party: Party, lines: list[str], *, country: bool = False) -> dict[str, Any]:
    return {
        "address-line-1": lines[0],
        "address-line-2": lines[1] if len(lines) > 1 else None,
        "city": party.city[:40],
        "prov-state": party.region or None,
        "country-code": party.country if country else None,
        "postal-zip-code": (_postal(party) if party.country == "CA" else party.postal_code) or None,
    }


def _customs(shipment: Shipment) -> dict[str, Any]:
    reason = REASONS.get(shipment.customs_reason, "OTH")
    first = shipment.customs[0].unit_value.currency if shipment.customs else "CAD"
    return {
        "currency": first,
        **given(**{"reason-for-export": reason, "other-reason": shipment.customs_reason if reason == "OTH" else None}),
        "sku-list": {"item": [_item(item) for item in shipment.customs]},
    }


def _tariff_code(code: str) -> str | None:
    """Format a tariff code as four digits and up to three pairs: `6403.99.60`.

    Returns None for fewer than four digits.
    """
    found = digits(code)[:10]
    if len(found) < 4:
        return None
    return ".".join([found[:4], *(found[start : start + 2] for start in range(4, len(found) - 1, 2))])


def _item(item: CustomsItem) -> dict[str, Any]:
    return {
        "customs-number-of-units": str(item.quantity),
        "customs-description": item.description[:45],
        "hs-tariff-code": _tariff_code(item.hs_code),
        "unit-weight": kilograms(item.unit_weight_g, 3),
        "customs-value-per-unit": f"{item.unit_value.major:.2f}",
        "country-of-origin": item.origin_country,
    }
