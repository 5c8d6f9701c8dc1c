"""Builders of ShipEngine request bodies, without I/O."""

from typing import Any

from haulier.adapters.carriers.parties import crosses_border, given, split_phone, street_lines
from haulier.contexts.shipping.ports import LabelFormat, Parcel, Party, PickupRequest, Rate, Shipment

LINE_WIDTH, LINES = 50, 3
SEPARATOR = ":"
OTHER = "other"
CONTENTS = {
    "sale": "merchandise",
    "gift": "gift",
    "sample": "sample",
    "return": "returned_goods",
    "documents": "documents",
}
"""Customs contents by reason for export."""


def split_service(service: str) -> tuple[str, str]:
    """Split a service code of the form `carrier account:service code`."""
    carrier_id, _, code = service.partition(SEPARATOR)
    return carrier_id, code


def rate_request(shipment: Shipment, carrier_ids: list[str], services: list[str]) -> dict[str, Any]:
    """Build a rate request for carriers, with all services or the given ones.

    The shipment's reference is only sent with the purchase.
    """
    codes = [split_service(service)[1] for service in services]
    return {
        "rate_options": given(carrier_ids=carrier_ids, service_codes=codes),
        "shipment": _shipment(shipment),
    }


def label_request(shipment: Shipment, rate: Rate, label_format: LabelFormat, *, splits: bool = False) -> dict[str, Any]:
    """Build a purchase under the shipment's reference.

    With `splits`, a PDF can be split by its pages. The purchase does not use `rate_id`, because the rate's shipment was
    created without a reference.
    """
    carrier_id, code = split_service(rate.service)
    ours = {"carrier_id": carrier_id, "service_code": code, "external_shipment_id": shipment.reference}
    return {
        "shipment": {**_shipment(shipment), **ours},
        "label_format": _form(shipment, label_format, splits=splits).value,
        "label_layout": "4x6",
        "label_download_type": "inline",
        "validate_address": "no_validation",
    }


def _form(shipment: Shipment, label_format: LabelFormat, *, splits: bool) -> LabelFormat:
    """Return the format to request.

    Labels of several parcels come in one document, which must be splittable.
    """
    if len(shipment.parcels) == 1:
        return label_format
    return LabelFormat.PDF if splits and label_format is not LabelFormat.ZPL else LabelFormat.ZPL


def pickup_request(request: PickupRequest) -> dict[str, Any]:
    """Build a pickup of bought labels."""
    return {
        "label_ids": [bought.carrier_reference for bought in request.bought],
        "contact_details": {
            "name": request.place.name,
            "email": request.place.email or "none@example.com",
            "phone": request.place.phone or "0000000000",
        },
        "pickup_notes": request.note,
        "pickup_window": {"start_at": request.ready_at.isoformat(), "end_at": request.closes_at.isoformat()},
    }


def address(party: Party, where: str) -> dict[str, Any]:
    """Return an address in ShipEngine's form."""
    lines = street_lines(party, where, LINE_WIDTH, LINES)
    return given(
        name=party.name,
        company_name=party.company,
        phone=split_phone(party.phone)[0],
        email=party.email,
        **{f"address_line{number}": line for number, line in enumerate(lines, 1)},
        city_locality=party.city,
        state_province=party.region,
        postal_code=party.postal_code,
        country_code=party.country,
        address_residential_indicator={True: "yes", False: "no", None: "unknown"}[party.residential],
    )


def _shipment(shipment: Shipment) -> dict[str, Any]:
    texts = [*shipment.customer_references, None, None, None]
    labels = {f"reference{number}": texts[number - 1] for number in (1, 2, 3)} if texts[0] else {}
    return {
        "ship_date": shipment.ship_at.isoformat(),
        "ship_from": address(shipment.sender, "sender"),
        "ship_to": address(shipment.recipient, "recipient"),
        **({"return_to": address(shipment.return_to, "return_to")} if shipment.return_to else {}),
        "confirmation": "signature" if shipment.signature else "none",
        "advanced_options": {"saturday_delivery": shipment.saturday},
        "packages": [_package(parcel, labels) for parcel in shipment.parcels],
        **({"customs": _customs(shipment)} if crosses_border(shipment.sender, shipment.recipient) else {}),
    }


def _package(parcel: Parcel, labels: dict[str, str | None]) -> dict[str, Any]:
    worth = parcel.declared_value
    sides = {"length": parcel.length_mm, "width": parcel.width_mm, "height": parcel.height_mm}
    known = all(sides.values())
    return given(
        package_code="package",
        weight={"value": parcel.weight_g, "unit": "gram"},
        dimensions={"unit": "centimeter", **{name: mm / 10 for name, mm in sides.items()}} if known else None,
        insured_value={"currency": worth.currency.lower(), "amount": float(worth.major)} if worth else None,
        content_description=parcel.description[:35],
        label_messages=labels or None,
        external_package_id=parcel.reference,
    )


def _customs(shipment: Shipment) -> dict[str, Any]:
    contents = CONTENTS.get(shipment.customs_reason, OTHER)
    return {
        **given(contents=contents, contents_explanation=shipment.customs_reason if contents == OTHER else None),
        "non_delivery": "return_to_sender",
        "customs_items": [
            given(
                description=item.description[:100],
                quantity=item.quantity,
                value=float(item.unit_value.major),
                value_currency=item.unit_value.currency.lower(),
                weight={"value": item.unit_weight_g, "unit": "gram"},
                harmonized_tariff_code=item.hs_code,
                country_of_origin=item.origin_country,
            )
            for item in shipment.customs
        ],
    }
