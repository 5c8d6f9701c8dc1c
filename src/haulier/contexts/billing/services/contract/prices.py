"""What a service costs. Amounts are whole minor units; shares are hundredths of a percent, rounded half up line by line."""

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
    """What the whole weight costs up to a limit."""

    up_to_g: int = Field(ge=1, le=WEIGHT_MAX_G)
    """Grams of what is billed."""
    amount_minor: Minor


class ServiceZone(Request):
    """Where the service goes, and what that adds. The first zone that has the destination counts."""

    code: FieldKey
    name: Name = Field(examples=["Downtown"])
    countries: list[CountryCode] = Field(default=[], max_length=250)
    """Countries; empty for all."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=1000), DISTINCT_PREFIXES] = []
    """Prefixes of postal codes; empty for all. Case, spaces and hyphens do not count."""
    amount_minor: Minor = 0


class OptionPrice(Request):
    """What a field of the form adds."""

    field: FieldKey
    """The field's name."""
    option: FieldKey | None = None
    """The option that costs it, for `choice` and `choices`; null for a field that is true, or for each unit of a number."""
    amount_minor: Minor
    per_piece: bool = False
    """Whether it is asked for each piece."""


class Surcharge(Request):
    """What is added to all that comes before: a share of it, an amount, or both."""

    code: FieldKey
    name: Name = Field(examples=["Fuel"])
    basis_points: BasisPoints = 0
    amount_minor: Minor = 0
    when: Conditions = []
    """It is asked when all of these hold; always where there are none."""


class ServicePricing(Request):
    """How a price is made: base, pieces, weight, volume, distance, zone, options; then surcharges, the minimum, and tax."""

    base_minor: Minor = 0
    """For every order."""
    per_piece_minor: Minor = 0
    """For each piece."""
    weight_steps: list[ServiceWeightStep] = Field(default=[], max_length=100)
    """Prices of the whole weight, ascending."""
    per_extra_kg_minor: Minor = 0
    """For each kilogram begun beyond the last step; from the first gram on where there are no steps."""
    dimensional_divisor: int = Field(default=0, ge=0, le=100_000)
    """Cubic centimetres that weigh a kilogram; 0 where only the weight counts. The greater of both is billed."""
    per_cubic_metre_minor: Minor = 0
    """For a cubic metre, in proportion."""
    per_km_minor: Minor = 0
    """For a kilometre, in proportion."""
    zones: list[ServiceZone] = Field(default=[], max_length=100)
    """Where the service goes; everywhere when empty."""
    options: list[OptionPrice] = Field(default=[], max_length=200)
    """What fields of the form add."""
    surcharges: list[Surcharge] = Field(default=[], max_length=50)
    """Each on what stands before it, the surcharges before it included."""
    minimum_minor: Minor = 0
    """Least price before tax."""
    tax_name: Annotated[str, Field(max_length=30, pattern=NO_NUL), OneLine] = "tax"
    """What the tax is called."""
    tax_basis_points: BasisPoints = 0
    """Tax on all of it."""

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
    """What the whole weight costs up to a limit."""


class ServiceZoneRecord(Answer, fields_of=ServiceZone):
    """Where the service goes, and what that adds."""


class OptionPriceRecord(Answer, fields_of=OptionPrice):
    """What a field of the form adds."""


class SurchargeRecord(Answer, fields_of=Surcharge):
    """What is added to all that comes before."""

    when: list[FormConditionRecord]


class ServicePricingRecord(Answer, fields_of=ServicePricing):
    """How a price is made, in the form in which it is set: change it and send it back."""

    weight_steps: list[ServiceWeightStepRecord]
    zones: list[ServiceZoneRecord]
    options: list[OptionPriceRecord]
    surcharges: list[SurchargeRecord]
