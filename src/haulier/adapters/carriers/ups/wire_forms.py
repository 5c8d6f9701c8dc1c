"""Structures of UPS responses, limited to the fields in use.

UPS may send a single element without the list around it.
"""

from msgspec import Struct

from haulier.kernel.values.money import Money


class UpsPart(Struct, frozen=True, rename="pascal"):
    """Base for structures whose field names are in Pascal case."""


class UpsCode(UpsPart, frozen=True):
    """Code with its description."""

    code: str = ""
    description: str = ""


class UpsAmount(UpsPart, frozen=True):
    """Amount with its currency."""

    monetary_value: str
    currency_code: str

    def money(self) -> Money:
        """Return the money value. Raises `ValueError` for an invalid amount."""
        return Money.parse(self.monetary_value, self.currency_code)


class UpsTax(UpsPart, frozen=True):
    """Tax, in the currency of the amount it belongs to."""

    monetary_value: str
    type: str = ""


class UpsItemized(UpsAmount, frozen=True):
    """Itemized charge."""

    code: str = ""
    description: str = ""


class UpsNegotiated(UpsPart, frozen=True):
    """Price under a negotiated contract."""

    total_charge: UpsAmount
    total_charges_with_taxes: UpsAmount | None = None
    tax_charges: list[UpsTax] | UpsTax = []


class UpsGuaranteed(UpsPart, frozen=True):
    """Guaranteed delivery."""

    business_days_in_transit: str = ""


class UpsRated(UpsPart, frozen=True):
    """Rated service."""

    service: UpsCode
    transportation_charges: UpsAmount
    service_options_charges: UpsAmount
    total_charges: UpsAmount
    rated_shipment_alert: list[UpsCode] | UpsCode = []
    itemized_charges: list[UpsItemized] | UpsItemized = []
    tax_charges: list[UpsTax] | UpsTax = []
    total_charges_with_taxes: UpsAmount | None = None
    negotiated_rate_charges: UpsNegotiated | None = None
    guaranteed_delivery: UpsGuaranteed | None = None


class UpsRateResponse(UpsPart, frozen=True):
    """Body of a rate response."""

    rated_shipment: list[UpsRated] | UpsRated


class UpsRateEnvelope(UpsPart, frozen=True):
    """Envelope of a rate response."""

    rate_response: UpsRateResponse


class UpsImage(UpsPart, frozen=True):
    """Base64 document, such as a label."""

    graphic_image: str
    image_format: UpsCode | None = None
    label_image_format: UpsCode | None = None


class UpsForm(UpsPart, frozen=True):
    """Customs form."""

    image: UpsImage | None = None


class UpsPackageResult(UpsPart, frozen=True):
    """Package with its label."""

    tracking_number: str
    shipping_label: UpsImage


class UpsCharges(UpsPart, frozen=True):
    """Total charges of a shipment."""

    total_charges: UpsAmount
    total_charges_with_taxes: UpsAmount | None = None


class UpsShipmentResults(UpsPart, frozen=True):
    """Bought shipment."""

    shipment_identification_number: str
    package_results: list[UpsPackageResult] | UpsPackageResult
    shipment_charges: UpsCharges | None = None
    negotiated_rate_charges: UpsNegotiated | None = None
    form: UpsForm | None = None


class UpsResponse(UpsPart, frozen=True):
    """Response status with alerts."""

    alert: list[UpsCode] | UpsCode = []


class UpsShipmentResponse(UpsPart, frozen=True):
    """Body of a shipment response."""

    shipment_results: UpsShipmentResults
    response: UpsResponse = UpsResponse()


class UpsShipmentEnvelope(UpsPart, frozen=True):
    """Envelope of a shipment response."""

    shipment_response: UpsShipmentResponse


class UpsLabelResult(UpsPart, frozen=True):
    """Recovered label."""

    tracking_number: str
    label_image: UpsImage


class UpsRecovery(UpsPart, frozen=True):
    """Labels of a reference."""

    label_results: list[UpsLabelResult] | UpsLabelResult = []
    shipment_identification_number: str = ""


class UpsRecoveryEnvelope(UpsPart, frozen=True):
    """Envelope of a label recovery response."""

    label_recovery_response: UpsRecovery


class UpsKey(UpsPart, frozen=True):
    """Address fields."""

    address_line: list[str] | str = []
    political_division2: str = ""
    political_division1: str = ""
    postcode_primary_low: str = ""
    postcode_extended_low: str = ""
    country_code: str = ""


class UpsCandidate(UpsPart, frozen=True):
    """Suggested address."""

    address_key_format: UpsKey
    address_classification: UpsCode | None = None


class UpsAddresses(UpsPart, frozen=True):
    """Body of an address validation response."""

    valid_address_indicator: str | None = None
    candidate: list[UpsCandidate] | UpsCandidate = []


class UpsAddressEnvelope(Struct, frozen=True, rename={"response": "XAVResponse"}):
    """Envelope of an address validation response."""

    response: UpsAddresses


class UpsPickupCost(UpsPart, frozen=True):
    """Price of a pickup."""

    grand_total_of_all_charge: str
    currency_code: str


class UpsPickupCreated(Struct, frozen=True, rename={"prn": "PRN", "cost": "RateResult"}):
    prn: str
    cost: UpsPickupCost | None = None


class UpsPickupEnvelope(UpsPart, frozen=True):
    """Envelope of a pickup response."""

    pickup_creation_response: UpsPickupCreated


class UpsFault(Struct, frozen=True):
    """Error with its code."""

    message: str
    code: str = ""


class UpsFaults(Struct, frozen=True):
    """List of errors."""

    errors: list[UpsFault] = []


class UpsFaultEnvelope(Struct, frozen=True):
    """Envelope of an error response."""

    response: UpsFaults


class UpsToken(Struct, frozen=True):
    """Token response. UPS sends the lifetime as a string of seconds."""

    access_token: str
    expires_in: str | int
