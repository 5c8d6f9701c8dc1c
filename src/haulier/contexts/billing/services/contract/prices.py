"""Prices of services in minor units.

Rates are hundredths of a percent, rounded half up line by line.
"""

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.services.contract.forms import Conditions, FieldKey, FormConditionRecord
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, OneLine
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

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
