"""The wire form of UPS's answers, as far as we read them.

Where there is one of something, UPS may give it without the list around it.
"""

from msgspec import Struct

from haulier.kernel.values.money import Money


class Ups(Struct, frozen=True, rename="pascal"):
    pass


class Code(Ups, frozen=True):
    code: str = ""
    description: str = ""


class Amount(Ups, frozen=True):
    monetary_value: str
    currency_code: str

    def money(self) -> Money:
        return Money.parse(self.monetary_value, self.currency_code)


class Tax(Ups, frozen=True):
    monetary_value: str
    type: str = ""


class Itemized(Amount, frozen=True):
    code: str = ""
    description: str = ""


class Negotiated(Ups, frozen=True):
    total_charge: Amount
    total_charges_with_taxes: Amount | None = None
    tax_charges: list[Tax] | Tax = []


class Guaranteed(Ups, frozen=True):
    business_days_in_transit: str = ""


class Rated(Ups, frozen=True):
    service: Code
    transportation_charges: Amount
    service_options_charges: Amount
    total_charges: Amount
    rated_shipment_alert: list[Code] | Code = []
    itemized_charges: list[Itemized] | Itemized = []
    tax_charges: list[Tax] | Tax = []
    total_charges_with_taxes: Amount | None = None
    negotiated_rate_charges: Negotiated | None = None
    guaranteed_delivery: Guaranteed | None = None


class RateResponse(Ups, frozen=True):
    rated_shipment: list[Rated] | Rated


class RateEnvelope(Ups, frozen=True):
    rate_response: RateResponse


class Image(Ups, frozen=True):
    graphic_image: str
    image_format: Code | None = None
    label_image_format: Code | None = None


class Form(Ups, frozen=True):
    image: Image | None = None


class PackageResult(Ups, frozen=True):
    tracking_number: str
    shipping_label: Image


class Charges(Ups, frozen=True):
    total_charges: Amount
    total_charges_with_taxes: Amount | None = None


class ShipmentResults(Ups, frozen=True):
    shipment_identification_number: str
    package_results: list[PackageResult] | PackageResult
    shipment_charges: Charges | None = None
    negotiated_rate_charges: Negotiated | None = None
    form: Form | None = None


class Response(Ups, frozen=True):
    alert: list[Code] | Code = []


class ShipmentResponse(Ups, frozen=True):
    shipment_results: ShipmentResults
    response: Response = Response()


class ShipmentEnvelope(Ups, frozen=True):
    shipment_response: ShipmentResponse


class LabelResult(Ups, frozen=True):
    tracking_number: str
    label_image: Image


class Recovery(Ups, frozen=True):
    label_results: list[LabelResult] | LabelResult = []
    shipment_identification_number: str = ""


class RecoveryEnvelope(Ups, frozen=True):
    label_recovery_response: Recovery


class Key(Ups, frozen=True):
    address_line: list[str] | str = []
    political_division2: str = ""
    political_division1: str = ""
    postcode_primary_low: str = ""
    postcode_extended_low: str = ""
    country_code: str = ""


class Candidate(Ups, frozen=True):
    address_key_format: Key
    address_classification: Code | None = None


class Addresses(Ups, frozen=True):
    valid_address_indicator: str | None = None
    candidate: list[Candidate] | Candidate = []


class AddressEnvelope(Struct, frozen=True, rename={"response": "XAVResponse"}):
    response: Addresses


class PickupCost(Ups, frozen=True):
    grand_total_of_all_charge: str
    currency_code: str


class PickupCreated(Struct, frozen=True, rename={"prn": "PRN", "cost": "RateResult"}):
    prn: str
    cost: PickupCost | None = None


class PickupEnvelope(Ups, frozen=True):
    pickup_creation_response: PickupCreated


class Track(Struct, frozen=True, rename="camel"):
    pass


class Place(Track, frozen=True):
    city: str = ""
    state_province: str = ""
    country_code: str = ""
    country: str = ""


class Location(Track, frozen=True):
    address: Place = Place()


class Status(Track, frozen=True):
    type: str = ""
    code: str = ""
    status_code: str = ""
    description: str = ""


class Activity(Track, frozen=True):
    status: Status = Status()
    location: Location | None = None
    gmt_date: str = ""
    gmt_time: str = ""


class TrackedPackage(Track, frozen=True):
    tracking_number: str = ""
    activity: list[Activity] = []


class TrackedShipment(Track, frozen=True):
    package: list[TrackedPackage] = []


class TrackResponse(Track, frozen=True):
    shipment: list[TrackedShipment] = []


class TrackEnvelope(Track, frozen=True):
    track_response: TrackResponse


class Fault(Struct, frozen=True):
    message: str
    code: str = ""


class Faults(Struct, frozen=True):
    errors: list[Fault] = []


class FaultEnvelope(Struct, frozen=True):
    response: Faults


class Token(Struct, frozen=True):
    """An answer to a request of a token. UPS writes the seconds as text."""

    access_token: str
    expires_in: str | int
