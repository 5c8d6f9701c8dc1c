"""Request and response models of services.

Rates are hundredths of a percent, rounded half up line by line.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import Field, StrictBool, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.custom_fields.definitions.contract import Labels
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import ID_MAX, NO_NUL, NOTE_MAX, Name, OneLine, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

FIELDS_MAX, OPTIONS_MAX, CONDITIONS_MAX = 50, 50, 5
TEXT_MAX = 2_000

FieldKey = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z][a-z0-9_]*$", examples=["pickup_floor"])]
WholeNumber = Annotated[StrictInt, Field(ge=-ID_MAX, le=ID_MAX)]
FormScalar = StrictBool | WholeNumber | FieldKey
"""Value that a condition compares with: a boolean, an integer, or an option's value."""


class FormFieldType(StrEnum):
    """Type of a form field."""

    TEXT = "text"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    """One of the options."""
    CHOICES = "choices"
    """Any number of options, each once."""
    DATE = "date"
    """Day, such as 2026-06-10."""


class FormCondition(Request):
    """Condition on the value of an earlier field.

    For a field with several options, the condition holds if one of the values is selected.
    """

    field: FieldKey
    """Name of an earlier field."""
    one_of: list[FormScalar] = Field(min_length=1, max_length=OPTIONS_MAX, examples=[[True]])
    """Values that meet the condition."""


class FormOption(Request):
    """Option of a form field."""

    value: FieldKey
    """Value used by API clients."""
    label: Name = Field(examples=["Second floor"])
    """Displayed label."""
    labels: Labels = {}
    """Labels in other languages."""


Conditions = Annotated[list[FormCondition], Field(max_length=CONDITIONS_MAX)]


class FormField(Request):
    """Field of a form."""

    name: FieldKey
    """Field name used by API clients, unique in the form."""
    label: Name = Field(examples=["Which floor?"])
    """Displayed label."""
    labels: Labels = {}
    """Labels in other languages."""
    help: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """Help text."""
    type: FormFieldType = FormFieldType.TEXT
    required: bool = False
    """If true, a value is required whenever the field is shown."""
    options: list[FormOption] = Field(default=[], max_length=OPTIONS_MAX)
    """Options for `choice` and `choices` fields."""
    minimum: WholeNumber | None = None
    """Smallest allowed integer."""
    maximum: WholeNumber | None = None
    """Largest allowed integer."""
    max_length: int = Field(default=200, ge=1, le=TEXT_MAX)
    """Maximum text length in characters."""
    visible_when: Conditions = []
    """Conditions for showing the field. All must hold. A hidden field takes no value."""
    required_when: Conditions = []
    """Conditions for also requiring a value. All must hold."""


class FormConditionRecord(Answer):
    """Condition on the value of an earlier field."""

    field: str
    one_of: list[bool | int | str]


class FormOptionRecord(Answer):
    """Option of a form field."""

    value: str
    label: str
    labels: dict[str, str]


class FormFieldRecord(Answer):
    """Field of a form."""

    name: str
    label: str
    labels: dict[str, str]
    help: str
    type: FormFieldType
    required: bool
    options: list[FormOptionRecord]
    minimum: int | None
    maximum: int | None
    max_length: int
    visible_when: Annotated[list[FormConditionRecord], doc("Conditions for showing the field. All must hold.")]
    required_when: Annotated[list[FormConditionRecord], doc("Conditions for also requiring a value. All must hold.")]


MINOR_MAX = 100_000_000
WEIGHT_MAX_G = 50_000_000
Minor = Annotated[int, Field(ge=0, le=MINOR_MAX)]
BasisPoints = Annotated[int, Field(ge=0, le=100_000)]


class ServiceWeightStep(Request):
    """Price of a total weight up to a limit."""

    up_to_g: int = Field(ge=1, le=WEIGHT_MAX_G)
    """Upper limit of the billed weight in grams."""
    amount_minor: Minor


class ServiceZone(Request):
    """Destination zone and its surcharge. The first zone with the destination applies."""

    code: FieldKey
    name: Name = Field(examples=["Downtown"])
    countries: list[CountryCode] = Field(default=[], max_length=250)
    """Countries of the zone. If empty, all countries."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=1000), DISTINCT_PREFIXES] = []
    """Postal code prefixes of the zone. If empty, all postal codes. Case, spaces and hyphens are ignored."""
    amount_minor: Minor = 0


class OptionPrice(Request):
    """Price of a form field or option."""

    field: FieldKey
    """Name of the form field."""
    option: FieldKey | None = None
    """Priced option of a `choice` or `choices` field. Null for a boolean field, or to price each unit of a number."""
    amount_minor: Minor
    per_piece: bool = False
    """If true, the price applies to each package."""


class Surcharge(Request):
    """Surcharge on the preceding lines: a percentage, an amount, or both."""

    code: FieldKey
    name: Name = Field(examples=["Fuel"])
    basis_points: BasisPoints = 0
    amount_minor: Minor = 0
    when: Conditions = []
    """Conditions for the surcharge. All must hold. If empty, it always applies."""


class ServicePricing(Request):
    """Price components: base, packages, weight, volume, distance, zone and options.

    Surcharges, the minimum and tax are applied afterwards, in this order.
    """

    base_minor: Minor = 0
    """Base price per order."""
    per_piece_minor: Minor = 0
    """Price per package."""
    weight_steps: list[ServiceWeightStep] = Field(default=[], max_length=100)
    """Prices by total weight, in ascending order."""
    per_extra_kg_minor: Minor = 0
    """Price per started kilogram above the last weight step, or from the first gram if there are no steps."""
    dimensional_divisor: int = Field(default=0, ge=0, le=100_000)
    """Cubic centimetres per kilogram of dimensional weight. The greater weight is billed. 0 uses actual weight only."""
    per_cubic_metre_minor: Minor = 0
    """Price per cubic metre, charged proportionally."""
    per_km_minor: Minor = 0
    """Price per kilometre, charged proportionally."""
    zones: list[ServiceZone] = Field(default=[], max_length=100)
    """Destination zones. If empty, the service is available everywhere."""
    options: list[OptionPrice] = Field(default=[], max_length=200)
    """Prices of form fields and options."""
    surcharges: list[Surcharge] = Field(default=[], max_length=50)
    """Surcharges in order. Each applies to the sum of all preceding lines, including earlier surcharges."""
    minimum_minor: Minor = 0
    """Minimum price before tax."""
    tax_name: Annotated[str, Field(max_length=30, pattern=NO_NUL), OneLine] = "tax"
    """Name of the tax."""
    tax_basis_points: BasisPoints = 0
    """Tax rate on the total, in hundredths of a percent."""

    @model_validator(mode="after")
    def _is_orderly(self) -> Self:
        weights = [step.up_to_g for step in self.weight_steps]
        if weights != sorted(set(weights)):
            raise PydanticCustomError("steps_ascend", "weights must ascend")
        for group in (self.zones, self.surcharges):
            codes = [each.code for each in group]
            if len(codes) != len(set(codes)):
                raise PydanticCustomError("codes_once", "each code once")
        return self


class ServiceWeightStepRecord(Answer, fields_of=ServiceWeightStep):
    """Price of a total weight up to a limit."""


class ServiceZoneRecord(Answer, fields_of=ServiceZone):
    """Destination zone and its surcharge."""


class OptionPriceRecord(Answer, fields_of=OptionPrice):
    """Price of a form field or option."""


class SurchargeRecord(Answer, fields_of=Surcharge):
    """Surcharge on the preceding lines."""

    when: list[FormConditionRecord]


class ServicePricingRecord(Answer, fields_of=ServicePricing):
    """Pricing in the form accepted by an update."""

    weight_steps: list[ServiceWeightStepRecord]
    zones: list[ServiceZoneRecord]
    options: list[OptionPriceRecord]
    surcharges: list[SurchargeRecord]


QUOTE_HOURS_MAX = 168
PIECES_MAX = 1_000


class ServiceKind(StrEnum):
    """Service kind. It determines the price family of the service."""

    PARCEL = "parcel"
    LTL = "ltl"
    MOVING = "moving"
    STORAGE = "storage"
    SHIPOUT = "shipout"
    LUGGAGE = "luggage"


class Fulfilment(StrEnum):
    """Record created when an order of the service is confirmed."""

    LOCAL_DELIVERY = "local_delivery"
    """Delivery by the business's own drivers."""
    LABEL = "label"
    """Carrier label."""


ServiceCode = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z0-9_-]+$", examples=["same-day"])]
FormValues = Annotated[dict[FieldKey, Any], Field(max_length=FIELDS_MAX, examples=[{"pickup_floor": 2}])]
"""Form values by field name. Null counts as missing."""


class ServiceTerms(Request):
    """Terms of a service."""

    name: Name = Field(examples=["Same day in the city"])
    """Name shown to customers."""
    description: Annotated[str, Field(max_length=NOTE_MAX, pattern=NO_NUL)] = ""
    """Description shown to customers."""
    form: list[FormField] = Field(default=[], max_length=FIELDS_MAX)
    """Form fields in the order shown to customers."""
    pricing: ServicePricing = ServicePricing()
    """Pricing of the service."""
    currency: Currency | None = None
    """Currency of all amounts (ISO 4217). Defaults to the business's currency."""
    quote_hours: int = Field(default=24, ge=1, le=QUOTE_HOURS_MAX)
    """Validity of quotes in hours, regardless of later changes to the service."""
    fulfilment: list[Fulfilment] = Field(default=[], max_length=2)
    """Records created when an order is confirmed. If empty, nothing is created automatically."""
    carrier_account_id: RecordId | None = None
    """Carrier account for the label. Defaults to the default account."""
    carrier_service: Annotated[str, Field(max_length=60, pattern=NO_NUL, examples=["ground"])] | None = None
    """Carrier service. Defaults to the cheapest one."""
    enabled: bool = True
    """If true, the service is offered. Existing quotes stay valid either way."""
    position: int = Field(default=0, ge=0, le=10_000)
    """Position in lists. Lower numbers come first, then services are ordered by code."""


class CreateService(ServiceTerms):
    """New service."""

    code: ServiceCode
    """Code used by API clients, unique in the business. Cannot be changed."""
    kind: ServiceKind
    """Kind of the service. Cannot be changed."""


class ServiceRef(Request):
    """Reference to a service."""

    service_id: RecordId


class UpdateService(ServiceTerms):
    """Replacement of a service. Omitted fields are reset to their defaults."""

    service_id: RecordId


class ListServices(PageRequest):
    """Filters of services."""

    kind: ServiceKind | None = None
    """Filter by kind."""
    enabled: bool | None = None
    """If true, only offered services; if false, only those not offered."""


class ServiceMeasures(Request):
    """Measurements that affect the price."""

    pieces: int = Field(default=1, ge=1, le=PIECES_MAX)
    weight_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Total weight of all packages in grams."""
    volume_cm3: int = Field(default=0, ge=0, le=1_000_000_000)
    """Total volume of all packages in cubic centimetres."""
    distance_m: int = Field(default=0, ge=0, le=40_000_000)
    """Distance in metres."""
    country: CountryCode | None = None
    """Country of the destination."""
    postal_code: Annotated[str, Field(max_length=20, pattern=NO_NUL, examples=["M5V 2T6"])] | None = None
    """Postal code of the destination."""


class PreviewServicePrice(ServiceMeasures):
    """Service order to price."""

    service_id: RecordId
    values: FormValues = {}


class ServiceRecord(Answer):
    """Service."""

    id: int
    code: str
    kind: ServiceKind
    name: str
    description: str
    form: list[FormFieldRecord]
    form_schema: Annotated[dict[str, Any], doc("Form as JSON Schema (2020-12), including conditions.")]
    pricing: ServicePricingRecord
    currency: Annotated[str, doc("Currency of all amounts (ISO 4217).", "CAD")]
    quote_hours: int
    fulfilment: list[Fulfilment]
    carrier_account_id: int | None
    carrier_service: str | None
    enabled: bool
    position: int
    used: Annotated[bool, doc("If true, the service has been ordered. It can be disabled but not deleted.")]
    created_at: datetime
    updated_at: datetime


class ServiceAnswer(Answer):
    """Single service."""

    result: bool = True
    service: ServiceRecord


class ServiceList(PagedAnswer):
    """Page of services in display order."""

    services: list[ServiceRecord]


class ServiceDeleted(Answer):
    """Confirmation that the service was deleted."""

    result: bool = True
    service_id: int


class ServicePriceLine(Answer):
    """Part of a price."""

    code: str
    name: str
    amount_minor: int


class ServicePriceAnswer(Answer):
    """Price of a service."""

    result: bool = True
    currency: str
    lines: Annotated[list[ServicePriceLine], doc("Price lines, which add up to the total.")]
    tax_minor: int
    total_minor: int
