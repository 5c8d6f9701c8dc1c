"""Request and response models of accounts."""

from datetime import datetime
from typing import Annotated, Any, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.orders.delivery_orders.contract.orders import OrderAddress, OrderAddressRecord
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Name, OneLine, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

LABELS = PriceFamily.LABEL_SERVICE
FAMILY = "price_family"
"""Field metadata: price family under which a record's prices can be hidden, if its kind has several."""
PriceFamilyOf = Annotated[PriceFamily, doc("Price family, by which a business can hide the account's prices.")]
MAX_MINOR = 100_000_000
MAX_WEIGHT_G = 50_000_000
Minor = Annotated[int, Field(ge=0, le=MAX_MINOR)]
BasisPoints = Annotated[int, Field(ge=0, le=100_000)]
TariffCode = Annotated[str, Field(min_length=1, max_length=30, pattern="^[a-z0-9_]+$")]


class TariffService(Request):
    """A service of the carrier."""

    code: TariffCode = Field(examples=["ground"])
    """Code of the alliance."""
    name: Name = Field(examples=["Ground"])
    """Display name."""
    percent: int = Field(default=100, ge=1, le=10_000)
    """Price of the service as a share of the zone's price."""
    transit_days: int = Field(default=2, ge=0, le=60)
    """Working days from hand-over to delivery."""
    max_weight_g: int = Field(default=30_000, ge=1, le=MAX_WEIGHT_G)
    """Maximum parcel weight in grams."""
    cut_off: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] = Field(default="16:00", examples=["16:00"])
    """Time of day, in the sender's time zone, until which parcels leave on the same day."""
    po_boxes: bool = False
    """Offer the service for P.O. boxes, too."""


class TariffWeightStep(Request):
    """Price of a parcel up to a weight."""

    up_to_g: int = Field(ge=1, le=MAX_WEIGHT_G)
    """Grams, of the greater of weight and dimensional weight."""
    amount: Minor
    """Amount in minor units."""


class TariffZone(Request):
    """Zone in which a price applies. The first zone that matches a recipient counts."""

    code: TariffCode = Field(examples=["city"])
    """Code of the alliance."""
    countries: list[CountryCode] = Field(default=[], max_length=250)
    """Countries; empty for all."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=1000), DISTINCT_PREFIXES] = []
    """Prefixes of postal codes; empty for all. Case, spaces and hyphens do not count."""
    steps: list[TariffWeightStep] = Field(min_length=1, max_length=100)
    """Prices by weight, ascending."""
    per_extra_kg: Minor = 0
    """Price of each started kilogram beyond the last step, in minor units."""
    extra_days: int = Field(default=0, ge=0, le=60)
    """Working days in addition to the service's transit time."""

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        weights = [step.up_to_g for step in self.steps]
        if weights != sorted(set(weights)):
            raise PydanticCustomError("steps_ascend", "weights must ascend")
        return self


class CarrierTariff(Request):
    """Services and prices of the business's own carrier."""

    services: list[TariffService] = Field(min_length=1, max_length=30)
    """Services of the carrier."""
    zones: list[TariffZone] = Field(min_length=1, max_length=100)
    """Zones, in order of evaluation."""
    dimensional_divisor: int = Field(default=5000, ge=0, le=100_000)
    """Cubic centimetres that weigh a kilogram; 0 where only the weight counts."""
    fuel_basis_points: BasisPoints = 0
    """Fuel surcharge on the base price, in hundredths of a percent."""
    residential: Minor = 0
    """Surcharge for homes, in minor units."""
    signature: Minor = 0
    """Surcharge for a signature, in minor units."""
    saturday: Minor = 0
    """Surcharge for delivery on Saturdays, in minor units."""
    tax_name: Annotated[str, Field(max_length=30, pattern=r"^[^\x00]*$"), OneLine] = "tax"
    """Name of the tax."""
    tax_basis_points: BasisPoints = 0
    """Tax rate of the whole amount, in hundredths of a percent."""
    currency: Currency | None = None
    """Currency (ISO 4217). Default: the business's currency."""

    @model_validator(mode="after")
    def _codes_once(self) -> Self:
        for group in (self.services, self.zones):
            codes = [each.code for each in group]
            if len(codes) != len(set(codes)):
                raise PydanticCustomError("codes_once", "each code once")
        return self


class TariffServiceRecord(Answer):
    """A service of the carrier."""

    code: str
    name: str
    percent: int
    transit_days: int
    max_weight_g: int
    cut_off: str
    po_boxes: bool


class TariffWeightStepRecord(Priced):
    """Price of a parcel up to a weight."""

    up_to_g: int
    amount: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET


class TariffZoneRecord(Priced):
    """Zone in which a price applies."""

    code: str
    countries: list[str]
    postal_prefixes: list[str]
    steps: list[TariffWeightStepRecord]
    per_extra_kg: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET
    extra_days: int


class CarrierTariffRecord(Priced):
    """A tariff in the form in which it is set. Change it and send it back."""

    services: list[TariffServiceRecord]
    zones: list[TariffZoneRecord]
    dimensional_divisor: int
    fuel_basis_points: int
    residential: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET
    signature: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET
    saturday: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET
    tax_name: str
    tax_basis_points: int
    currency: Annotated[str | None, doc("ISO 4217.", "CAD")]


START_TARIFF = CarrierTariff(
    services=[
        TariffService(code="ground", name="Ground", percent=100, transit_days=2),
        TariffService(code="express", name="Express", percent=180, transit_days=1, cut_off="14:00"),
    ],
    zones=[
        TariffZone(
            code="everywhere",
            steps=[
                TariffWeightStep(up_to_g=1_000, amount=900),
                TariffWeightStep(up_to_g=5_000, amount=1_300),
                TariffWeightStep(up_to_g=10_000, amount=1_800),
                TariffWeightStep(up_to_g=30_000, amount=3_200),
            ],
            per_extra_kg=120,
        )
    ],
    fuel_basis_points=800,
    residential=200,
    signature=150,
    saturday=500,
)
"""Initial tariff of a client: two services everywhere."""


CarrierCode = Annotated[str, Field(min_length=2, max_length=30, pattern="^[A-Z0-9_]+$")]
ServiceCode = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f]+$")]
CredentialName = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z0-9_]+$")]
Credentials = Annotated[
    dict[CredentialName, Annotated[SecretStr, Field(max_length=4000)]],
    Field(max_length=20, examples=[{"api_key": "ABC123"}]),
]
MarkUpShare = Annotated[int, Field(ge=-10_000, le=100_000)]
MarkUpAmount = Annotated[int, Field(ge=-MAX_MINOR, le=MAX_MINOR)]


COMPANY_MAX = 120


class ShippingAddress(OrderAddress):
    """Sender or recipient of a shipment."""

    company: Annotated[str, Field(max_length=COMPANY_MAX, pattern=r"^[^\x00]*$"), OneLine] | None = Field(
        default=None, examples=["Lovelace Ltd"]
    )
    """Business, if `name` is a contact."""
    residential: bool | None = None
    """If true, the address is residential, which carriers charge for. Null: unknown."""


class ShippingAddressRecord(OrderAddressRecord):
    """Sender or recipient of a shipment."""

    company: str | None = None
    residential: bool | None = None


class OpenCarrierAccount(Request):
    """An account with a carrier."""

    carrier: CarrierCode = Field(examples=["HOUSE"])
    """A kind of carrier of `list_carrier_kinds`."""
    name: Name = Field(examples=["Our own van"])
    """Name of the account."""
    credentials: Credentials = {}
    """Credentials that the carrier requires. They are stored encrypted and never shown again."""
    test_mode: bool = False
    """Use the carrier's sandbox: its labels are not real."""
    default: bool = False
    """Use it where a request names no account."""
    markup_basis_points: MarkUpShare = 0
    """Markup on the carrier's price, in hundredths of a percent."""
    markup_minor: MarkUpAmount = 0
    """Additional fixed markup in minor units."""
    services_off: list[ServiceCode] = Field(default=[], max_length=200)
    """Services that are not offered."""
    sender: ShippingAddress | None = None
    """Default sender of shipments."""


class CarrierAccountRef(Request):
    """Reference to a carrier account."""

    account_id: RecordId
    """ID of the account."""


class UpdateCarrierAccount(CarrierAccountRef):
    """Fields to change. Omitted fields keep their values."""

    name: Name | None = Field(default=None, examples=["Our own van"])
    """Name of the account."""
    credentials: Credentials | None = None
    """New credentials, all of them."""
    active: bool | None = None
    """If true, the account is offered."""
    default: bool | None = None
    """Use it where a request names no account."""
    markup_basis_points: MarkUpShare | None = None
    """Markup on the carrier's price, in hundredths of a percent."""
    markup_minor: MarkUpAmount | None = None
    """Additional fixed markup in minor units."""
    services_off: Annotated[list[ServiceCode], Field(max_length=200)] | None = None
    """Services that are not offered."""
    sender: ShippingAddress | None = None
    """Default sender of shipments."""


class SetCarrierTariff(CarrierAccountRef):
    """A tariff for an account of the business's own carrier."""

    tariff: CarrierTariff
    """Replaces the whole tariff."""


class CredentialFieldRecord(Answer):
    """A credential field of a carrier."""

    name: Annotated[str, doc("Name in `credentials`.", "api_key")]
    title: str
    secret: bool
    required: bool


class CarrierServiceRecord(Answer):
    """A service of a carrier."""

    code: Annotated[str, doc("Code of the alliance.", "ground")]
    name: str
    domestic: bool
    international: bool


class CarrierKindRecord(Answer):
    """A carrier that accounts can be opened with."""

    carrier: Annotated[str, doc("Code of the alliance.", "HOUSE")]
    name: str
    credentials: list[CredentialFieldRecord]
    capabilities: Annotated[list[str], doc("rate, buy, recover, void, manifest, track, pickup, check_address.")]
    services: Annotated[list[CarrierServiceRecord], doc("Available services; empty if the account determines them.")]


class CarrierKindList(Answer):
    """The carriers of this installation, by code."""

    result: bool = True
    carriers: list[CarrierKindRecord]


class CarrierAccount(Priced):
    """An account with a carrier."""

    id: int
    carrier: Annotated[str, doc("Carrier type.", "HOUSE")]
    name: str
    active: bool
    default: bool
    test_mode: bool
    credentials_set: Annotated[list[str], doc("Names of the stored credentials.")]
    services_off: list[str]
    markup_basis_points: Annotated[int | UnsetType, price(LABELS, "Hundredths of a percent.")] = UNSET
    markup_minor: Annotated[int | UnsetType, price(LABELS, "Amount in minor units.")] = UNSET
    sender: ShippingAddressRecord | None
    tested_at: datetime | None
    test_fault: Annotated[str | None, doc("Reason why the last test failed, in the carrier's words.")]
    created_at: datetime


class CarrierAccountAnswer(Answer):
    """One account."""

    result: bool = True
    account: CarrierAccount


class CarrierAccountList(Answer):
    """All accounts, by name."""

    result: bool = True
    accounts: list[CarrierAccount]


class CarrierTariffAnswer(Answer):
    """The tariff in force."""

    result: bool = True
    tariff: CarrierTariffRecord


class CarrierAccountTest(Answer):
    """The carrier's response to the credentials."""

    result: bool = True
    accepted: bool
    fault: Annotated[str | None, doc("Reason for a failure, in the carrier's words.")]


def plain_credentials(credentials: dict[str, Any]) -> dict[str, str]:
    """Return credentials in clear text."""
    return {name: value.get_secret_value() for name, value in credentials.items()}
