"""Label of a house carrier as PDF, PNG or ZPL."""

from collections.abc import Callable

from haulier.contexts.shipping.ports import LabelFormat, Party, Rate, Shipment
from haulier.rendering.labels import LabelContent, LabelParty, render_label_pdf, render_label_png, render_label_zpl

SIGNATURE = "SIGNATURE"
_WRITERS: dict[LabelFormat, Callable[[LabelContent], bytes]] = {
    LabelFormat.PDF: lambda content: render_label_pdf([content]),
    LabelFormat.PNG: render_label_png,
    LabelFormat.ZPL: render_label_zpl,
}


def render_house_label(
    shipment: Shipment, rate: Rate, number: str, place: int, form: LabelFormat = LabelFormat.ZPL
) -> bytes:
    """Return the label of one parcel. `place` counts from 0."""
    parcel = shipment.parcels[place]
    content = LabelContent(
        carrier=shipment.sender.company or shipment.sender.name,
        service=rate.name,
        tracking_number=number,
        sender=_party(shipment.sender),
        recipient=_party(shipment.recipient),
        references=tuple(filter(None, (parcel.reference, *shipment.customer_references))),
        weight_g=parcel.weight_g,
        piece=place + 1,
        pieces=len(shipment.parcels),
        ship_date=shipment.ship_at.date(),
        notes=SIGNATURE if shipment.signature else None,
    )
    return _WRITERS[form](content)


def _party(party: Party) -> LabelParty:
    return LabelParty(
        name=party.name,
        company=party.company or None,
        address=tuple(filter(None, (party.street, party.street2))),
        place=" ".join(filter(None, (party.city, party.region, party.postal_code))),
        country=party.country,
        phone=party.phone or None,
    )
