"""Answers about labels."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, UnsetType

from haulier.contexts.shipping.accounts.contract import ShippingAddressRecord
from haulier.contexts.shipping.labels.contract import (
    CarrierRemark,
    LabelDocument,
    ShipmentDetail,
    ShipmentParcel,
    ShipmentSummary,
    ShipmentTerms,
    ShippingCharge,
    ShippingRate,
)
from haulier.contexts.shipping.labels.rules import (
    SHIPMENT_LIFE,
    Offer,
    Remark,
    ShipmentState,
    ShipmentStep,
    list_party_findings,
    offer_from_document,
)
from haulier.contexts.shipping.labels.store import LabelRow, ParcelRow, ShipmentRow
from haulier.contexts.shipping.ports import Severity
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE
from haulier.kernel.operations.records import record
from haulier.kernel.principal import Principal

MEDIA_TYPES = {"pdf": "application/pdf", "zpl": "application/zpl", "png": "image/png"}


def label_document(label: LabelRow) -> LabelDocument:
    """Return the label of a parcel, as its carrier printed it."""
    return printed_label(label.number, label.tracking_number, label.label_format, label.content)


def printed_label(number: int, tracking_number: str, form: str, content: bytes) -> LabelDocument:
    """Return a label in one of the forms of `MEDIA_TYPES`."""
    return LabelDocument(
        number=number,
        tracking_number=tracking_number,
        format=form,  # type: ignore[arg-type]
        media_type=MEDIA_TYPES[form],
        document=b64encode(content).decode(),
    )


def shipment_summary(call: Call, row: ShipmentRow) -> ShipmentSummary:
    """Return a shipment in a list."""
    return ShipmentSummary(**_summary(call, row))


def shipment_detail(call: Call, row: ShipmentRow, parcels: Sequence[ParcelRow]) -> ShipmentDetail:
    """Return a shipment."""
    steps = SHIPMENT_LIFE.actions(ShipmentState(row.state))
    terms = row.terms
    office = call.principal.account in OFFICE
    return ShipmentDetail(
        **_summary(call, row),
        shipper=_address(terms.get("shipper")),
        consignee=msgspec.convert(terms["consignee"], ShippingAddressRecord),
        parcels=[record(ShipmentParcel, parcel) for parcel in parcels],
        price_details=offer_charges(offer_from_document(row.offer), office=office) if row.offer else [],
        carrier_price_minor=row.cost_minor if office else UNSET,
        messages=shipment_remarks(call, row),
        voided_at=call.local_time(row.voided_at),
        can_be_bought=ShipmentStep.BUY in steps,
        can_be_cancelled=ShipmentStep.VOID in steps,
    )


def _address(document: Any) -> ShippingAddressRecord | None:
    return msgspec.convert(document, ShippingAddressRecord) if document else None


def _summary(call: Call, row: ShipmentRow) -> dict[str, Any]:
    to = row.terms["consignee"]
    return {
        "id": row.id,
        "state": row.state,
        "order_ref": row.order_ref,
        "carrier": row.carrier,
        "account_id": row.account_id,
        "service": row.service,
        "service_name": row.service_name,
        "tracking_number": row.tracking_number,
        "consignee_name": row.consignee_name,
        "consignee_city": to["city"],
        "consignee_country": to["country"],
        "ship_date": row.ship_date,
        "customer_id": row.customer_id,
        "manifest_id": row.manifest_id,
        "shipping_price": row.price_minor,
        "currency": row.currency,
        "created_at": call.local_time(row.created_at),
        "bought_at": call.local_time(row.bought_at),
    }


def offer_charges(offer: Offer, *, office: bool) -> list[ShippingCharge]:
    """Return the parts of a price.

    Callers outside the office see only the total if a markup was added.
    """
    added = offer.price - offer.rate.price
    if added.minor and not office:
        return [ShippingCharge(code="base", name=offer.rate.name, amount=offer.price.minor)]
    parts = [ShippingCharge(code=part.code, name=part.name, amount=part.amount.minor) for part in offer.rate.charges]
    if added.minor:
        parts.append(ShippingCharge(code="mark_up", name="Mark-up", amount=added.minor))
    return parts


def is_office(principal: Principal) -> bool:
    """Return True if the caller is staff of the client."""
    return principal.account in OFFICE


def remark_records(call: Call, remarks: Sequence[Remark]) -> list[CarrierRemark]:
    """Return what carriers said, and remarks of this product in the caller's language."""
    return [record(CarrierRemark, each, text=remark_text(call, each)) for each in remarks]


def remark_text(call: Call, remark: Remark) -> str:
    """Return the text of a remark; of this product's own, in the caller's language."""
    return call.translate(remark.message, **remark.params) if remark.message else remark.text


def shipment_remarks(call: Call, row: ShipmentRow) -> list[CarrierRemark]:
    """Return what the carrier said of a shipment, and what is odd about its parties."""
    terms = ShipmentTerms.model_validate(row.terms)
    odd = [
        CarrierRemark(
            severity=Severity.WARNING.value,
            code=found.code.upper(),
            text=call.translate(f"party.{found.code}", **found.params),
            field=field,
        )
        for field, found in list_party_findings(terms, terms.shipper)
    ]
    return [*odd, *remark_records(call, msgspec.convert(row.messages, list[Remark]))]


def carrier_price_minor(offer: Offer, *, office: bool) -> int | UnsetType:
    """Return the carrier's price for staff."""
    return offer.rate.price.minor if office else UNSET


def shipping_rate(offer: Offer, rate_id: str, zone: ZoneInfo, *, office: bool) -> ShippingRate:
    """Return a service and its price."""
    return ShippingRate(
        rate_id=rate_id,
        account_id=offer.account_id,
        account=offer.account,
        carrier=offer.carrier,
        service=offer.rate.service,
        service_name=offer.rate.name,
        shipping_price=offer.price.minor,
        currency=offer.price.currency,
        price_details=offer_charges(offer, office=office),
        carrier_price_minor=carrier_price_minor(offer, office=office),
        transit_days=offer.rate.transit_days,
        deliver_by=offer.rate.deliver_by and offer.rate.deliver_by.astimezone(zone),
        guaranteed=offer.rate.guaranteed,
        expires_at=offer.expires_at.astimezone(zone),
    )


def latest_expiry(offers: Sequence[Offer], now: datetime) -> datetime:
    """Return the time until which all offers hold; now, if there is none."""
    return min((offer.expires_at for offer in offers), default=now)
