"""Parsers for EasyPost responses, without I/O."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from haulier.adapters.carriers.easypost.requests import SEPARATOR
from haulier.adapters.carriers.parties import delivers_to_po_boxes
from haulier.adapters.carriers.scans import carrier_events, listed_parts, read_document
from haulier.contexts.otep.public import scan_forms
from haulier.contexts.shipping.ports import (
    AddressCheck,
    AddressVerdict,
    CarrierEvent,
    CarrierMessage,
    Charge,
    LabelFormat,
    Party,
    Rate,
    Rates,
    Severity,
    UnreadScan,
    VoidState,
)
from haulier.kernel.values.money import Money, find_cheapest

_MEDIA = {"application/pdf": LabelFormat.PDF, "image/png": LabelFormat.PNG, "application/zpl": LabelFormat.ZPL}


class EasyPostRate(Struct, frozen=True):
    """EasyPost rate. The rates of an order have no shipment ID."""

    id: str
    carrier: str
    service: str
    rate: str
    currency: str
    delivery_days: int | None = None
    delivery_date_guaranteed: bool | None = None

    @property
    def code(self) -> str:
        """Return the service code used in Haulier."""
        return f"{self.carrier}{SEPARATOR}{self.service}"

    @property
    def price(self) -> Money:
        """Return the price. Raises `ValueError` for an invalid amount."""
        return Money.parse(self.rate, self.currency)


class _Remark(Struct, frozen=True):
    message: str
    carrier: str = ""
    type: str = ""


class _PostageLabel(Struct, frozen=True):
    label_url: str | None = None
    label_pdf_url: str | None = None
    label_zpl_url: str | None = None
    label_file_type: str = "image/png"


class _ScanFormOfShipment(Struct, frozen=True):
    id: str


class EasyPostShipment(Struct, frozen=True):
    """EasyPost shipment of one parcel, bought or not."""

    id: str
    rates: list[EasyPostRate] = []
    messages: list[_Remark] = []
    tracking_code: str | None = None
    postage_label: _PostageLabel | None = None
    selected_rate: EasyPostRate | None = None
    refund_status: str | None = None
    scan_form: _ScanFormOfShipment | None = None

    @property
    def bought(self) -> bool:
        """Return True if there is a label that was not refunded."""
        return self.postage_label is not None and self.refund_status in {None, "rejected", "not_applicable"}

    def label(self) -> tuple[str, LabelFormat]:
        """Return the address and format of the label.

        Raises `ValueError` if there is no label in a known format.
        """
        label = self.postage_label or _PostageLabel()
        known = _MEDIA.get(label.label_file_type)
        places = (
            (label.label_url, known),
            (label.label_zpl_url, LabelFormat.ZPL),
            (label.label_pdf_url, LabelFormat.PDF),
        )
        for address, form in places:
            if address and form:
                return address, form
        raise ValueError("no label")


class EasyPostOrder(Struct, frozen=True):
    """EasyPost order: several parcels that are bought together."""

    id: str
    shipments: list[EasyPostShipment]
    rates: list[EasyPostRate] = []
    messages: list[_Remark] = []


class ScanForm(Struct, frozen=True):
    """EasyPost scan form, which is a manifest."""

    id: str
    tracking_codes: list[str] = []
    form_url: str | None = None
    status: str = ""
    message: str | None = None


class EasyPostPickup(Struct, frozen=True):
    """Requested pickup. It is booked by buying one of its rates."""

    id: str
    pickup_rates: list[EasyPostRate] = []
    confirmation: str | None = None
    status: str = ""


class Batch(Struct, frozen=True):
    """Batch of shipments. It is in state `creating` at first."""

    id: str
    state: str


class _FieldFault(Struct, frozen=True):
    message: str
    field: str | None = None


class _Verification(Struct, frozen=True):
    success: bool = False
    errors: list[_FieldFault] = []


class _Verifications(Struct, frozen=True):
    delivery: _Verification | None = None


class _Address(Struct, frozen=True):
    street1: str | None = None
    street2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    country: str | None = None
    residential: bool | None = None
    verifications: _Verifications | None = None


class _Fault(Struct, frozen=True):
    message: str | list[Any]
    code: str = ""
    errors: list[str | dict[str, Any]] = []


class _FaultEnvelope(Struct, frozen=True):
    error: _Fault


def read_shipment(document: bytes) -> EasyPostShipment:
    """Parse a shipment of one parcel."""
    return msgspec.json.decode(document, type=EasyPostShipment)


def read_order(document: bytes) -> EasyPostOrder:
    """Parse a shipment of several parcels."""
    return msgspec.json.decode(document, type=EasyPostOrder)


def rates_of(said: EasyPostShipment | EasyPostOrder, services: Sequence[str]) -> Rates:
    """Return the cheapest rate of each service.

    Several accounts at one carrier may offer the same service.
    """
    by_service: dict[str, list[EasyPostRate]] = {}
    for rate in said.rates:
        if not services or rate.code in services:
            by_service.setdefault(rate.code, []).append(rate)
    best = [_cheapest(rates) for rates in by_service.values()]
    messages = [
        CarrierMessage(": ".join(filter(None, (each.carrier, each.message))), each.type or None, Severity.WARNING)
        for each in said.messages
    ]
    return Rates(tuple(map(_rate, best)), tuple(messages))


def _cheapest(rates: Sequence[EasyPostRate]) -> EasyPostRate:
    """Return the cheapest rate in the currency of the first."""
    return find_cheapest(rates, lambda each: each.price, rates[0].price.currency) or rates[0]


def _rate(rate: EasyPostRate) -> Rate:
    return Rate(
        service=rate.code,
        name=f"{rate.carrier} {rate.service}",
        price=rate.price,
        charges=(Charge("base", "Postage", rate.price),),
        transit_days=rate.delivery_days,
        guaranteed=bool(rate.delivery_date_guaranteed),
        rate_id=rate.id,
        po_boxes=delivers_to_po_boxes(rate.carrier, rate.service),
    )


def read_tracker(document: bytes) -> list[CarrierEvent | UnreadScan]:
    """Return scans, the earliest first.

    If the newest scan has no status, it gets the tracker's status.
    """
    trackers = listed_parts(read_document(document), "trackers")
    if not trackers:
        return []
    scans = listed_parts(trackers[0], "tracking_details")
    return carrier_events(scan_forms.EASYPOST, scans, trackers[0], ("status", "status_detail"))


def refund_state(statuses: Sequence[str | None]) -> VoidState:
    """Return the refund state of a shipment.

    It is void if all parcels are refunded, and refused if any is refused.
    """
    if all(status == "refunded" for status in statuses):
        return VoidState.VOIDED
    if any(status in {"rejected", "not_applicable"} for status in statuses):
        return VoidState.REFUSED
    return VoidState.PENDING


def read_address(document: bytes, party: Party) -> AddressCheck:
    """Return the result of an address check."""
    found = msgspec.json.decode(document, type=_Address)
    verified = found.verifications.delivery if found.verifications else None
    remarks = tuple(
        CarrierMessage(fault.message, None, Severity.WARNING, fault.field)
        for fault in (verified.errors if verified else ())
    )
    if verified is None or not verified.success:
        return AddressCheck(AddressVerdict.UNKNOWN, None, remarks)
    suggestion = msgspec.structs.replace(
        party,
        street=found.street1 or "",
        street2=found.street2 or "",
        city=found.city or "",
        region=found.state or "",
        postal_code=found.zip or "",
        country=found.country or party.country,
        residential=found.residential if found.residential is not None else party.residential,
    )
    same = _plain(suggestion) == _plain(party)
    return AddressCheck(AddressVerdict.VALID if same else AddressVerdict.CORRECTED, suggestion, remarks)


def _plain(party: Party) -> tuple[str, ...]:
    postal = party.postal_code.partition("-")[0]
    return tuple(text.upper().strip() for text in (party.street, party.street2, party.city, party.region, postal))


def read_refusal(document: bytes) -> list[CarrierMessage]:
    """Return the reasons for a refusal: the overall message and each field error."""
    fault = msgspec.json.decode(document, type=_FaultEnvelope).error
    text = fault.message if isinstance(fault.message, str) else "; ".join(map(str, fault.message))
    messages = [CarrierMessage(text, fault.code or None, Severity.ERROR)]
    for each in fault.errors:
        said = each if isinstance(each, dict) else {"message": str(each)}
        messages.append(CarrierMessage(str(said.get("message", "")), None, Severity.ERROR, said.get("field")))
    return messages
