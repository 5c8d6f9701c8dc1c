"""Builders of EasyPost request bodies, without I/O.

Weights are in ounces, lengths in inches, and amounts are strings.
"""

from typing import Any

from haulier.adapters.carriers.measures import inches, ounces, ounces_of_parts
from haulier.adapters.carriers.parties import crosses_border, given, require_values_in, split_phone, street_lines
from haulier.contexts.shipping.ports import LabelFormat, Parcel, Party, PickupRequest, Shipment

LINE_WIDTH, LINES = 50, 2
SEPARATOR = ":"
OTHER = "other"
DECLARED_CURRENCY = "USD"
"""Currency of amounts in options, which have none of their own: EasyPost insures in USD."""
CONTENTS = {
    "sale": "merchandise",
    "gift": "gift",
    "sample": "sample",
    "return": "returned_goods",
    "documents": "documents",
}
"""Customs contents by reason for export."""


def split_service(service: str) -> tuple[str, str]:
    """Split a service code of the form `carrier:service`."""
    carrier, _, name = service.partition(SEPARATOR)
    return carrier, name


def shipment_request(
    shipment: Shipment, reference: str | None = None, label_format: LabelFormat = LabelFormat.PDF
) -> dict[str, Any]:
    """Build a shipment of one parcel.

    `reference` is set for a purchase only, because purchases are found by it.
    """
    (parcel,) = shipment.parcels
    body = {"parcel": _parcel(parcel), "options": _options(shipment, label_format, parcel), **_ends(shipment)}
    return {"shipment": {**body, **given(reference=reference)}}


def order_request(
    shipment: Shipment, reference: str | None = None, label_format: LabelFormat = LabelFormat.PDF
) -> dict[str, Any]:
    """Build a shipment of several parcels, which EasyPost calls an order."""
    parts = [
        {"parcel": _parcel(parcel), "options": _options(shipment, label_format, parcel)} for parcel in shipment.parcels
    ]
    return {"order": {**_ends(shipment), "shipments": parts, **given(reference=reference)}}


def pickup_request(request: PickupRequest, parcels: list[str], batch: str | None) -> dict[str, Any]:
    """Build a pickup of a shipment, or of a batch of several."""
    what = {"batch": {"id": batch}} if batch else {"shipment": {"id": parcels[0]}}
    return {
        "pickup": {
            **what,
            "reference": request.reference,
            "min_datetime": request.ready_at.isoformat(),
            "max_datetime": request.closes_at.isoformat(),
            "is_account_address": False,
            "instructions": request.note,
            "address": address(request.place, "place"),
        }
    }


def address(party: Party, where: str) -> dict[str, Any]:
    """Return an address in EasyPost's form."""
    lines = street_lines(party, where, LINE_WIDTH, LINES)
    return given(
        name=party.name,
        company=party.company,
        street1=lines[0],
        street2=lines[1] if len(lines) > 1 else "",
        city=party.city,
        state=party.region,
        zip=party.postal_code,
        country=party.country,
        phone=split_phone(party.phone)[0],
        email=party.email,
        residential=party.residential,
    )


def _ends(shipment: Shipment) -> dict[str, Any]:
    customs = crosses_border(shipment.sender, shipment.recipient) and shipment.customs
    return {
        "from_address": address(shipment.sender, "sender"),
        "to_address": address(shipment.recipient, "recipient"),
        **({"return_address": address(shipment.return_to, "return_to")} if shipment.return_to else {}),
        **({"customs_info": _customs(shipment)} if customs else {}),
    }


def _parcel(parcel: Parcel) -> dict[str, Any]:
    sides = {"length": parcel.length_mm, "width": parcel.width_mm, "height": parcel.height_mm}
    lengths = {name: float(inches(mm, 1)) for name, mm in sides.items()} if all(sides.values()) else {}
    return {"weight": ounces(parcel.weight_g), **lengths}


def _options(shipment: Shipment, label_format: LabelFormat, parcel: Parcel) -> dict[str, Any]:
    require_values_in(shipment, DECLARED_CURRENCY, "EasyPost")
    texts = dict(zip(("print_custom_1", "print_custom_2"), shipment.customer_references, strict=False))
    return given(
        label_format=label_format.value.upper(),
        label_date=shipment.ship_at.isoformat(),
        delivery_confirmation="SIGNATURE" if shipment.signature else None,
        saturday_delivery=True if shipment.saturday else None,
        declared_value=float(parcel.declared_value.major) if parcel.declared_value else None,
        **texts,
    )


def _customs(shipment: Shipment) -> dict[str, Any]:
    weights = ounces_of_parts([item.unit_weight_g * item.quantity for item in shipment.customs])
    contents = CONTENTS.get(shipment.customs_reason, OTHER)
    return {
        **given(contents_type=contents, contents_explanation=shipment.customs_reason if contents == OTHER else None),
        "restriction_type": "none",
        "non_delivery_option": "return",
        "customs_certify": True,
        "customs_signer": shipment.sender.name,
        "customs_items": [
            given(
                description=item.description,
                quantity=item.quantity,
                value=float((item.unit_value * item.quantity).major),
                currency=item.unit_value.currency,
                weight=weight,
                hs_tariff_number=item.hs_code,
                origin_country=item.origin_country,
            )
            for item, weight in zip(shipment.customs, weights, strict=True)
        ],
    }
