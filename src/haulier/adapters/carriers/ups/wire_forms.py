"""The wire form of UPS's answers, as far as we read them.

Where there is one of something, UPS may give it without the list around it.
"""

from msgspec import Struct

from haulier.kernel.values.money import Money


class UpsPart(Struct, frozen=True, rename="pascal"):
    """Names of parts begin with a capital."""


class UpsCode(UpsPart, frozen=True):
    """A code and what it means."""

    code: str = ""
    description: str = ""


class UpsAmount(UpsPart, frozen=True):
    """An amount."""

    monetary_value: str
    currency_code: str

    def money(self) -> Money:
        """As ours. Raises `ValueError` for what is none."""
        return Money.parse(self.monetary_value, self.currency_code)


class UpsTax(UpsPart, frozen=True):
    """A tax, in the currency of what it is of."""

    monetary_value: str
    type: str = ""


class UpsItemized(UpsAmount, frozen=True):
    """A charge."""

    code: str = ""
    description: str = ""


class UpsNegotiated(UpsPart, frozen=True):
    """What a contract makes of a price."""

    total_charge: UpsAmount
    total_charges_with_taxes: UpsAmount | None = None
    tax_charges: list[UpsTax] | UpsTax = []


class UpsGuaranteed(UpsPart, frozen=True):
    """What UPS promises."""

    business_days_in_transit: str = ""


class UpsRated(UpsPart, frozen=True):
    """A service and its price."""

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
    """The frame of an answer."""

    rated_shipment: list[UpsRated] | UpsRated


class UpsRateEnvelope(UpsPart, frozen=True):
    """The frame of an answer."""

    rate_response: UpsRateResponse


class UpsImage(UpsPart, frozen=True):
    """A document in base64."""

    graphic_image: str
    image_format: UpsCode | None = None
    label_image_format: UpsCode | None = None


class UpsForm(UpsPart, frozen=True):
    """Papers for customs."""

    image: UpsImage | None = None


class UpsPackageResult(UpsPart, frozen=True):
    """A package with its label."""

    tracking_number: str
    shipping_label: UpsImage


class UpsCharges(UpsPart, frozen=True):
    """What a shipment costs."""

    total_charges: UpsAmount
    total_charges_with_taxes: UpsAmount | None = None


class UpsShipmentResults(UpsPart, frozen=True):
    """A bought shipment."""

    shipment_identification_number: str
    package_results: list[UpsPackageResult] | UpsPackageResult
    shipment_charges: UpsCharges | None = None
    negotiated_rate_charges: UpsNegotiated | None = None
    form: UpsForm | None = None


class UpsResponse(UpsPart, frozen=True):
    """Remarks beside an answer."""

    alert: list[UpsCode] | UpsCode = []


class UpsShipmentResponse(UpsPart, frozen=True):
    """The frame of an answer."""

    shipment_results: UpsShipmentResults
    response: UpsResponse = UpsResponse()


class UpsShipmentEnvelope(UpsPart, frozen=True):
    """The frame of an answer."""

    shipment_response: UpsShipmentResponse


class UpsLabelResult(UpsPart, frozen=True):
    """A label that was found."""

    tracking_number: str
    label_image: UpsImage


class UpsRecovery(UpsPart, frozen=True):
    """The labels of a reference."""

    label_results: list[UpsLabelResult] | UpsLabelResult = []
    shipment_identification_number: str = ""


class UpsRecoveryEnvelope(UpsPart, frozen=True):
    """The frame of an answer."""

    label_recovery_response: UpsRecovery


class UpsKey(UpsPart, frozen=True):
    """An address."""

    address_line: list[str] | str = []
    political_division2: str = ""
    political_division1: str = ""
    postcode_primary_low: str = ""
    postcode_extended_low: str = ""
    country_code: str = ""


class UpsCandidate(UpsPart, frozen=True):
    """An address that may be meant."""

    address_key_format: UpsKey
    address_classification: UpsCode | None = None


class UpsAddresses(UpsPart, frozen=True):
    """A verdict on an address."""

    valid_address_indicator: str | None = None
    candidate: list[UpsCandidate] | UpsCandidate = []


class UpsAddressEnvelope(Struct, frozen=True, rename={"response": "XAVResponse"}):
    """The frame of an answer."""

    response: UpsAddresses


class UpsPickupCost(UpsPart, frozen=True):
    """What a pickup costs."""

    grand_total_of_all_charge: str
    currency_code: str


class UpsPickupCreated(Struct, frozen=True, rename={"prn": "PRN", "cost": "RateResult"}):
    """A booked pickup."""

    prn: str
    cost: UpsPickupCost | None = None


class UpsPickupEnvelope(UpsPart, frozen=True):
    """The frame of an answer."""

    pickup_creation_response: UpsPickupCreated


class UpsFault(Struct, frozen=True):
    """Why UPS says no."""

    message: str
    code: str = ""


class UpsFaults(Struct, frozen=True):
    """The frame of an answer."""

    errors: list[UpsFault] = []


class UpsFaultEnvelope(Struct, frozen=True):
    """The frame of an answer."""

    response: UpsFaults


class UpsToken(Struct, frozen=True):
    """An answer to a request of a token. UPS writes the seconds as text."""

    access_token: str
    expires_in: str | int
