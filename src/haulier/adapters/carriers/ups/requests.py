"""Builders of UPS request bodies, without I/O."""

from typing import Any

from haulier.adapters.carriers.measures import centimetres, inches, kilograms, pounds
from haulier.adapters.carriers.parties import (
    crosses_border,
    digits,
    given,
    person_and_company,
    split_phone,
    street_lines,
)
from haulier.contexts.shipping.ports import CustomsItem, LabelFormat, Parcel, Party, PickupRequest, Shipment

NAME_WIDTH, LINE_WIDTH, LINES = 35, 35, 3
EXTENSION_WIDTH = 4
OWN_PACKAGING = "02"
TRANSPORTATION = "01"
INVOICE_FORM = "01"
GIF = "GIF"
_AT_PACKAGE = frozenset({"US", "PR"})
"""Countries with references and signatures at each package.

Elsewhere they belong to the shipment (error 120541 otherwise).
"""


def rate_request(shipment: Shipment, account: str) -> dict[str, Any]:
    """Build a request for `Shoptimeintransit`: every service with its transit days."""
    at = shipment.ship_at
    return {
        "RateRequest": {
            "Request": {
                "RequestOption": "Shoptimeintransit",
                "TransactionReference": {"CustomerContext": shipment.reference or "rate"},
            },
            "Shipment": {
                **_ends(shipment, account),
                "PaymentDetails": {"ShipmentCharge": [_paid_by_shipper(account)]},
                "NumOfPieces": str(len(shipment.parcels)),
                "DeliveryTimeInformation": {
                    "PackageBillType": "03",
                    "Pickup": {"Date": f"{at:%Y%m%d}", "Time": f"{at:%H%M}"},
                },
                "ShipmentRatingOptions": {"NegotiatedRatesIndicator": "Y"},
                "Package": [
                    {"PackagingType": {"Code": OWN_PACKAGING, "Description": "Package"}, **_package(shipment, parcel)}
                    for parcel in shipment.parcels
                ],
                **_options(shipment),
            },
        }
    }


def ship_request(shipment: Shipment, account: str, service: str, label_format: LabelFormat) -> dict[str, Any]:
    """Build a purchase under the shipment's reference."""
    references = [shipment.reference, *shipment.customer_references][:2]
    numbers = {"ReferenceNumber": [{"Value": reference[:35]} for reference in references]}
    at_package = _references_at_package(shipment)
    return {
        "ShipmentRequest": {
            "Request": {
                "RequestOption": "nonvalidate",
                "TransactionReference": {"CustomerContext": shipment.reference},
            },
            "Shipment": {
                "Description": (shipment.parcels[0].description or "Goods")[:50],
                **_ends(shipment, account),
                "PaymentInformation": {"ShipmentCharge": [_paid_by_shipper(account)]},
                "ShipmentRatingOptions": {"NegotiatedRatesIndicator": "Y"},
                "Service": {"Code": service},
                **({} if at_package else numbers),
                "Package": [
                    {
                        "Packaging": {"Code": OWN_PACKAGING, "Description": "Package"},
                        **_package(shipment, parcel),
                        **(numbers if at_package else {}),
                    }
                    for parcel in shipment.parcels
                ],
                **_options(shipment, forms=True),
            },
            "LabelSpecification": label_specification(label_format),
        }
    }


def recovery_request(reference: str, account: str, label_format: LabelFormat) -> dict[str, Any]:
    """Build a label recovery request for a reference."""
    return {
        "LabelRecoveryRequest": {
            "Request": {"TransactionReference": {"CustomerContext": reference}},
            "LabelSpecification": label_specification(label_format),
            "ReferenceValues": {"ReferenceNumber": {"Value": reference}, "ShipperNumber": account},
        }
    }


def label_specification(label_format: LabelFormat) -> dict[str, Any]:
    """Return the label format: ZPL, or GIF for conversion to PDF and PNG."""
    code = "ZPL" if label_format is LabelFormat.ZPL else GIF
    return {"LabelImageFormat": {"Code": code}, "LabelStockSize": {"Height": "6", "Width": "4"}}


def pickup_request(request: PickupRequest, account: str, country: str) -> dict[str, Any]:
    """Build an on-call pickup, paid by the account."""
    place = request.place
    company, person = person_and_company(place, 22)
    imperial = place.country == "US"
    return {
        "PickupCreationRequest": {
            "Request": {"TransactionReference": {"CustomerContext": request.reference[:512] or "pickup"}},
            "RatePickupIndicator": "Y",
            "Shipper": {"Account": {"AccountNumber": account, "AccountCountryCode": country}},
            "PickupDateInfo": {
                "ReadyTime": f"{request.ready_at:%H%M}",
                "CloseTime": f"{request.closes_at:%H%M}",
                "PickupDate": f"{request.ready_at:%Y%m%d}",
            },
            "PickupAddress": given(
                CompanyName=company,
                ContactName=person,
                AddressLine=street_lines(place, "place", LINE_WIDTH, LINES),
                City=place.city,
                StateProvince=place.region,
                PostalCode=_postal(place)[:8],
                CountryCode=place.country,
                ResidentialIndicator="Y" if place.residential else "N",
                Phone={"Number": digits(split_phone(place.phone)[0]) or "0000000000"},
            ),
            "AlternateAddressIndicator": "Y",
            "PickupPiece": [
                {
                    "ServiceCode": "003" if imperial else "011",
                    "Quantity": str(request.parcels),
                    "DestinationCountryCode": place.country,
                    "ContainerCode": "01",
                }
            ],
            "TotalWeight": {
                "Weight": pounds(request.weight_g) if imperial else kilograms(request.weight_g),
                "UnitOfMeasurement": "LBS" if imperial else "KGS",
            },
            "PaymentMethod": "01",
            **given(SpecialInstruction=request.note[:57], ReferenceNumber=request.reference[:35]),
        }
    }


def address_request(party: Party) -> dict[str, Any]:
    """Build an address validation request."""
    return {
        "XAVRequest": {
            "AddressKeyFormat": given(
                ConsigneeName=(party.company or party.name)[:40],
                AddressLine=[line for line in (party.street, party.street2) if line],
                PoliticalDivision2=party.city[:30],
                PoliticalDivision1=party.region[:30],
                PostcodePrimaryLow=party.postal_code.partition("-")[0][:10],
                CountryCode=party.country,
            )
        }
    }


def _ends(shipment: Shipment, account: str) -> dict[str, Any]:
    sender = _party(shipment.sender, "sender")
    recipient = _party(shipment.recipient, "recipient")
    if shipment.recipient.residential:
        recipient["Address"]["ResidentialAddressIndicator"] = ""
    back = shipment.return_to or shipment.sender
    return {"Shipper": {**_party(back, "return_to"), "ShipperNumber": account}, "ShipTo": recipient, "ShipFrom": sender}


def _party(party: Party, where: str) -> dict[str, Any]:
    company, person = person_and_company(party, NAME_WIDTH)
    number, extension = split_phone(party.phone)
    phone = digits(number)[-15:]
    return given(
        Name=company,
        AttentionName=person,
        Phone=given(Number=phone, Extension=extension[:EXTENSION_WIDTH]) if phone else None,
        Address=given(
            AddressLine=street_lines(party, where, LINE_WIDTH, LINES),
            City=party.city[:30],
            StateProvinceCode=party.region,
            PostalCode=_postal(party),
            CountryCode=party.country,
        ),
    )


def _postal(party: Party) -> str:
    return party.postal_code.replace(" ", "").replace("-", "")[:9]


def _package(shipment: Shipment, parcel: Parcel) -> dict[str, Any]:
    imperial = shipment.sender.country in _AT_PACKAGE
    package: dict[str, Any] = {
        "PackageWeight": {
            "UnitOfMeasurement": _unit(*(("LBS", "Pounds") if imperial else ("KGS", "Kilograms"))),
            "Weight": pounds(parcel.weight_g) if imperial else kilograms(parcel.weight_g),
        }
    }
    if parcel.length_mm and parcel.width_mm and parcel.height_mm:
        length = inches if imperial else centimetres
        package["Dimensions"] = {
            "UnitOfMeasurement": _unit(*(("IN", "Inches") if imperial else ("CM", "Centimetres"))),
            "Length": length(parcel.length_mm),
            "Width": length(parcel.width_mm),
            "Height": length(parcel.height_mm),
        }
    options: dict[str, Any] = {}
    if parcel.declared_value:
        worth = parcel.declared_value
        options["DeclaredValue"] = {"CurrencyCode": worth.currency, "MonetaryValue": f"{worth.major:f}"}
    if shipment.signature and _references_at_package(shipment):
        options["DeliveryConfirmation"] = {"DCISType": "2"}
    return {**package, **({"PackageServiceOptions": options} if options else {})}


def _unit(code: str, description: str) -> dict[str, str]:
    return {"Code": code, "Description": description}


def _options(shipment: Shipment, *, forms: bool = False) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if shipment.saturday:
        options["SaturdayDeliveryIndicator"] = ""
    if shipment.signature and not _references_at_package(shipment):
        options["DeliveryConfirmation"] = {"DCISType": "1"}
    if forms and shipment.customs and crosses_border(shipment.sender, shipment.recipient):
        options["InternationalForms"] = _invoice(shipment)
    return {"ShipmentServiceOptions": options} if options else {}


def _invoice(shipment: Shipment) -> dict[str, Any]:
    return {
        "FormType": [INVOICE_FORM],
        "InvoiceNumber": shipment.reference[:35],
        "InvoiceDate": f"{shipment.ship_at:%Y%m%d}",
        "ReasonForExport": shipment.customs_reason.upper(),
        "CurrencyCode": shipment.customs[0].unit_value.currency,
        "Contacts": {"SoldTo": _party(shipment.recipient, "recipient")},
        "Product": [_product(item) for item in shipment.customs],
    }


def _product(item: CustomsItem) -> dict[str, Any]:
    return given(
        Description=[item.description[:35]],
        Unit={
            "Number": str(item.quantity),
            "UnitOfMeasurement": {"Code": "PCS"},
            "Value": f"{item.unit_value.major:f}",
        },
        CommodityCode=item.hs_code.replace(".", "")[:15],
        OriginCountryCode=item.origin_country,
    )


def _paid_by_shipper(account: str) -> dict[str, Any]:
    return {"Type": TRANSPORTATION, "BillShipper": {"AccountNumber": account}}


def _references_at_package(shipment: Shipment) -> bool:
    return {shipment.sender.country, shipment.recipient.country} <= _AT_PACKAGE
