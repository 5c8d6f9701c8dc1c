"""Parsers for ShipEngine responses, without I/O.

Amounts are JSON numbers. They are parsed as decimals, never as floats.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

import msgspec
from msgspec import Struct

from haulier.adapters.carriers.parties import delivers_to_po_boxes
from haulier.adapters.carriers.scans import carrier_events, listed_parts, read_document
from haulier.adapters.carriers.shipengine.requests import SEPARATOR
from haulier.contexts.otep.public import scan_forms
from haulier.contexts.shipping.ports import (
    AddressCheck,
    AddressVerdict,
    BoughtParcel,
    BoughtReference,
    CarrierEvent,
    CarrierMessage,
    Charge,
    LabelFormat,
    OutcomeUnknown,
    Party,
    Purchase,
    Rate,
    Rates,
    Severity,
    UnreadScan,
    VoidOutcome,
    VoidState,
)
from haulier.contexts.shipping.public import make_own_message
from haulier.kernel.values.money import Money, currency_decimals


class _Amount(Struct, frozen=True):
    currency: str
    amount: Decimal

    def money(self) -> Money:
        currency = self.currency.upper()
        digits = currency_decimals(currency)
        return Money(int(self.amount.scaleb(digits).quantize(Decimal(1), ROUND_HALF_UP)), currency)


class _Rate(Struct, frozen=True):
    rate_id: str
    carrier_id: str
    service_code: str
    service_type: str
    shipping_amount: _Amount
    insurance_amount: _Amount | None = None
    confirmation_amount: _Amount | None = None
    other_amount: _Amount | None = None
    tax_amount: _Amount | None = None
    delivery_days: int | None = None
    guaranteed_service: bool = False
    carrier_friendly_name: str = ""
    carrier_code: str = ""
    warning_messages: list[str] = []
    error_messages: list[str] = []


class _Fault(Struct, frozen=True):
    message: str
    error_code: str = ""
    error_type: str = ""
    field_name: str | None = None


class _RateResponse(Struct, frozen=True):
    rates: list[_Rate] = []
    invalid_rates: list[_Rate] = []
    errors: list[_Fault] | None = None


class _Rated(Struct, frozen=True):
    rate_response: _RateResponse


class _Download(Struct, frozen=True):
    href: str | None = None


class _LabelPackage(Struct, frozen=True):
    tracking_number: str | None = None


class _Label(Struct, frozen=True):
    label_id: str
    status: str
    tracking_number: str
    carrier_id: str
    service_code: str
    shipment_cost: _Amount
    insurance_cost: _Amount | None = None
    label_format: str = "pdf"
    label_download: _Download = _Download()
    packages: list[_LabelPackage] = []
    voided: bool = False


class _Voided(Struct, frozen=True):
    approved: bool
    message: str = ""
    reason_code: str | None = None


class _Manifest(Struct, frozen=True):
    manifest_id: str
    label_ids: list[str] = []
    manifest_download: _Download = _Download()


class _Manifests(Struct, frozen=True):
    manifests: list[_Manifest] = []


class _Address(Struct, frozen=True):
    address_line1: str
    city_locality: str
    state_province: str
    postal_code: str = ""
    country_code: str = ""
    address_line2: str | None = None
    address_residential_indicator: str = "unknown"


class _Remark(Struct, frozen=True):
    message: str
    code: str = ""
    type: str = "info"


class _Checked(Struct, frozen=True):
    status: str
    matched_address: _Address | None = None
    messages: list[_Remark] = []


class _Pickup(Struct, frozen=True):
    pickup_id: str


class _Carrier(Struct, frozen=True):
    carrier_id: str


class _Carriers(Struct, frozen=True):
    carriers: list[_Carrier] = []


class _Faults(Struct, frozen=True):
    errors: list[_Fault] = []


ManifestLinks = Mapping[str, tuple[frozenset[str], str | None]]
"""Label IDs and document address, by manifest."""


def read_carriers(document: bytes) -> list[str]:
    """Return the IDs of the carrier accounts."""
    return [one.carrier_id for one in msgspec.json.decode(document, type=_Carriers).carriers]


def read_rates(document: bytes, services: Sequence[str]) -> Rates:
    """Return rates, and a message for each invalid one."""
    said = msgspec.json.decode(document, type=_Rated).rate_response
    rates = [_rate(one) for one in said.rates]
    messages = [*map(_message, said.errors or ())]
    for one in said.invalid_rates:
        messages += [
            CarrierMessage(f"{one.service_type}: {text}", "invalid_rate", Severity.ERROR) for text in one.error_messages
        ]
    for one in said.rates:
        messages += [
            CarrierMessage(f"{one.service_type}: {text}", None, Severity.WARNING) for text in one.warning_messages
        ]
    return Rates(tuple(rate for rate in rates if not services or rate.service in services), tuple(messages))


def _rate(rate: _Rate) -> Rate:
    parts = (
        ("base", "Shipping", rate.shipping_amount),
        ("insurance", "Insurance", rate.insurance_amount),
        ("confirmation", "Confirmation", rate.confirmation_amount),
        ("other", "Other", rate.other_amount),
        ("tax", "Tax", rate.tax_amount),
    )
    charges = [
        Charge(code, name, part.money()) for code, name, part in parts if part and (part.amount or code == "base")
    ]
    return Rate(
        service=f"{rate.carrier_id}{SEPARATOR}{rate.service_code}",
        name=rate.service_type,
        price=_sum(charge.amount for charge in charges),
        charges=tuple(charges),
        transit_days=rate.delivery_days,
        guaranteed=rate.guaranteed_service,
        rate_id=rate.rate_id,
        po_boxes=delivers_to_po_boxes(rate.carrier_code, rate.service_code),
    )


def _sum(amounts: Iterable[Money]) -> Money:
    first, *others = amounts
    for amount in others:
        first = first + amount
    return first


def read_label(document: bytes) -> Purchase | None:
    """Return a bought label, or None if it is void or was never bought.

    Raises `ValueError` if it has no document yet.
    """
    label = msgspec.json.decode(document, type=_Label)
    return None if label.voided or label.status in {"voided", "error"} else _purchase(label)


def read_new_label(document: bytes) -> Purchase:
    """Return a new label.

    Raises `OutcomeUnknown` if ShipEngine is still processing it.
    """
    label = msgspec.json.decode(document, type=_Label)
    if label.status != "completed":
        raise OutcomeUnknown(f"ShipEngine says that the label is {label.status}")
    return _purchase(label)


def _purchase(label: _Label) -> Purchase:
    form = LabelFormat(label.label_format)
    numbers = [package.tracking_number or label.tracking_number for package in label.packages] or [
        label.tracking_number
    ]
    documents = _parted(_inline(label.label_download), form, len(numbers))
    cost = [each.money() for each in (label.shipment_cost, label.insurance_cost) if each]
    return Purchase(
        carrier_reference=label.label_id,
        service=f"{label.carrier_id}{SEPARATOR}{label.service_code}",
        tracking_number=label.tracking_number,
        parcels=tuple(BoughtParcel(*pair, form) for pair in zip(numbers, documents, strict=True)),
        price=_sum(cost),
    )


def _inline(download: _Download) -> bytes:
    """Return the bytes of a data URL (RFC 2397). Raises `ValueError` for any other."""
    head, comma, text = (download.href or "").partition(";base64,")
    if not head.startswith("data:") or not comma:
        raise ValueError("no label inline")
    return base64.b64decode(text, validate=True)


def _parted(document: bytes, form: LabelFormat, parcels: int) -> list[bytes]:
    """Return one document per parcel. A PDF is returned whole.

    Raises `ValueError` if documents and parcels cannot be matched.
    """
    if parcels == 1 or form is LabelFormat.PDF:
        return [document] * parcels
    ends = document.split(b"^XZ")[:-1] if form is LabelFormat.ZPL else []
    if len(ends) != parcels:
        raise ValueError("labels of several parcels in one document")
    return [part.lstrip() + b"^XZ\n" for part in ends]


def read_label_ids(document: bytes) -> list[str]:
    """Return the label IDs of a response."""
    return [label.label_id for label in msgspec.json.decode(document, type=_Ids).labels]


class _Id(Struct, frozen=True):
    label_id: str


class _Ids(Struct, frozen=True):
    labels: list[_Id] = []


def read_void(document: bytes) -> VoidOutcome:
    """Return the result of a void request."""
    said = msgspec.json.decode(document, type=_Voided)
    done = said.approved or said.reason_code == "label_already_voided"
    remark = CarrierMessage(said.message, said.reason_code, Severity.INFO if done else Severity.ERROR)
    return VoidOutcome(VoidState.VOIDED if done else VoidState.REFUSED, (remark,) if said.message else ())


def read_manifests(document: bytes) -> ManifestLinks:
    """Return the manifests in the response to a creation or a list request."""
    said = msgspec.json.decode(document, type=_Manifests).manifests
    return {one.manifest_id: (frozenset(one.label_ids), one.manifest_download.href) for one in said}


def read_events(document: bytes) -> list[CarrierEvent | UnreadScan]:
    """Return scans, the earliest first.

    If the newest scan has no status, it gets the log's status.
    """
    log = read_document(document)
    return carrier_events(
        scan_forms.SHIPENGINE, listed_parts(log, "events"), log, ("status_code", "status_detail_code")
    )


def read_address(document: bytes, party: Party) -> AddressCheck:
    """Return the result of an address check.

    ShipEngine also reports `verified` for an address that it has changed.
    """
    said = msgspec.json.decode(document, type=list[_Checked])[0]
    remarks = tuple(CarrierMessage(each.message, each.code or None, Severity(each.type)) for each in said.messages)
    if said.status not in {"verified", "warning"} or said.matched_address is None:
        return AddressCheck(AddressVerdict.UNKNOWN, None, remarks)
    found = said.matched_address
    suggestion = msgspec.structs.replace(
        party,
        street=found.address_line1,
        street2=found.address_line2 or "",
        city=found.city_locality,
        region=found.state_province,
        postal_code=found.postal_code,
        country=found.country_code or party.country,
        residential={"yes": True, "no": False}.get(found.address_residential_indicator, party.residential),
    )
    same = _plain(suggestion) == _plain(party) and said.status == "verified"
    return AddressCheck(AddressVerdict.VALID if same else AddressVerdict.CORRECTED, suggestion, remarks)


def _plain(party: Party) -> tuple[str, ...]:
    postal = party.postal_code.partition("-")[0]
    return tuple(text.upper().strip() for text in (party.street, party.street2, party.city, party.region, postal))


def read_pickup(document: bytes) -> str:
    """Return the ID of a pickup, which is needed to cancel it."""
    return msgspec.json.decode(document, type=_Pickup).pickup_id


def read_refusal(document: bytes) -> list[CarrierMessage]:
    """Return the reasons for a refusal."""
    return [_message(fault) for fault in msgspec.json.decode(document, type=_Faults).errors]


def read_refused_purchase(document: bytes) -> list[CarrierMessage]:
    """Return the reasons for a refused purchase.

    Raises `OutcomeUnknown` for an error between ShipEngine and the underlying carrier.
    """
    faults = msgspec.json.decode(document, type=_Faults).errors
    if lost := [fault.message for fault in faults if fault.error_type in {"system", "integrations"}]:
        raise OutcomeUnknown("; ".join(lost))
    return [_message(fault) for fault in faults]


def _message(fault: _Fault) -> CarrierMessage:
    return CarrierMessage(fault.message, fault.error_code or None, Severity.ERROR, fault.field_name)


def missing(bought: Sequence[BoughtReference], closed: Iterable[str]) -> dict[str, CarrierMessage]:
    """Return a message for each shipment that was not closed."""
    rest = {each.carrier_reference for each in bought} - set(closed)
    said = make_own_message("carrier.not_on_manifest", "not_closed", carrier="ShipEngine")
    return dict.fromkeys(sorted(rest), said)
