"""Request and response models for taxes."""

from datetime import date
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.taxes.rules import (
    CERTIFICATE_MAX,
    REGION_MAX,
    TAX_NAME_MAX,
    ExemptionKind,
    ProductClass,
    TaxRounding,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Note, OneLine, RecordId
from haulier.kernel.operations.ids import TaxExemptionId, TaxRateId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.moments import Day
from haulier.kernel.values.rounding import PPM, PPM_PER_BASIS_POINT
from haulier.kernel.values.taxes import rate_in_bp

AMOUNT_MAX = 10**12
Region = Annotated[str, Field(min_length=1, max_length=REGION_MAX, pattern="^[A-Z0-9]+$", examples=["ON"])]
TaxName = Annotated[str, Field(min_length=1, max_length=TAX_NAME_MAX, pattern=NO_NUL, examples=["HST"]), OneLine]
TaxBasisPoints = Annotated[int, Field(ge=0, le=10_000, examples=[1300])]
TaxPartsPerMillion = Annotated[int, Field(ge=0, le=PPM, examples=[99_750])]
CertificateNumber = Annotated[str, Field(min_length=1, max_length=CERTIFICATE_MAX, pattern=NO_NUL), OneLine]


class TaxPeriod(Request):
    """First and last day of a tax rate or exemption."""

    valid_from: Day
    """First day."""
    valid_until: Day | None = None
    """Last day. If omitted, it is valid without end."""

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "TaxPeriod":
        if self.valid_until and self.valid_until < self.valid_from:
            raise PydanticCustomError("tax_period_inverted", "valid_until must not be before valid_from")
        return self


class CreateTaxRate(TaxPeriod):
    """Tax rate of a jurisdiction."""

    country: CountryCode
    """Country (ISO 3166-1 alpha-2)."""
    region: Region | None = None
    """Province or state: the part of its ISO 3166-2 code after the country. If omitted, the whole country."""
    product_class: ProductClass | None = None
    """Class of product. If omitted, all classes. A rate of 0 for a class exempts it."""
    name: TaxName
    """Name of the tax on invoices. Taxes with different names apply together."""
    rate_bp: TaxBasisPoints | None = None
    """Rate in hundredths of a percent. Required unless `rate_ppm` is set."""
    rate_ppm: TaxPartsPerMillion | None = None
    """Exact rate in parts per million, such as 99750 for 9.975 %."""

    @model_validator(mode="after")
    def _has_one_rate(self) -> "CreateTaxRate":
        if self.rate_bp is None and self.rate_ppm is None:
            raise PydanticCustomError("tax_rate_missing", "set rate_bp or rate_ppm")
        if None not in (self.rate_bp, self.rate_ppm) and rate_in_bp(self.rate_ppm or 0) != self.rate_bp:
            raise PydanticCustomError("tax_rates_differ", "rate_bp and rate_ppm differ")
        return self

    @property
    def exact_ppm(self) -> int:
        """Return the rate in parts per million."""
        return (self.rate_bp or 0) * PPM_PER_BASIS_POINT if self.rate_ppm is None else self.rate_ppm


class TaxRateRef(Request):
    """A tax rate."""

    tax_rate_id: TaxRateId
    """ID of the tax rate."""


class UpdateTaxRate(CreateTaxRate, TaxRateRef):
    """New values of a tax rate."""


class ListTaxRates(Request):
    """Filters of tax rates."""

    country: CountryCode | None = None
    """Filter by country."""


class AddInitialTaxRates(Request):
    """Country whose standard tax rates are added."""

    country: CountryCode
    """Country (ISO 3166-1 alpha-2)."""
    valid_from: Day | None = None
    """First day of the rates. Defaults to today."""


class CreateTaxExemption(TaxPeriod):
    """Exemption of a customer from taxes."""

    customer_id: RecordId
    """Exempt customer."""
    kind: ExemptionKind
    """Reason for the exemption. It is printed on invoices with the number."""
    certificate_number: CertificateNumber = Field(examples=["DE123456789"])
    """Number of the certificate. For reverse charge, the customer's VAT number."""
    country: CountryCode | None = None
    """Country of the taxes. If omitted, taxes of all countries."""
    note: Note = ""
    """Internal note."""


class TaxExemptionRef(Request):
    """An exemption."""

    tax_exemption_id: TaxExemptionId
    """ID of the exemption."""


class UpdateTaxExemption(CreateTaxExemption, TaxExemptionRef):
    """New values of an exemption."""


class ListTaxExemptions(Request):
    """Filters of exemptions."""

    customer_id: RecordId | None = None
    """Filter by customer."""


class SetTaxSettings(Request):
    """Home jurisdiction and rounding."""

    country: CountryCode | None = None
    """Home country. If omitted, the country of the business."""
    region: Region | None = None
    """Home province or state: the part of its ISO 3166-2 code after the country."""
    rounding: TaxRounding = TaxRounding.LINE
    """`line` rounds the tax of each invoice line, `invoice` the sum of each tax on an invoice."""
    prices_include_tax: bool = True
    """If `false`, taxes are added to prices without a tax of their own when they are charged."""


class PreviewTax(Request):
    """Amount whose taxes are previewed."""

    amount_minor: int = Field(ge=1, le=AMOUNT_MAX, examples=[11300])
    """Amount in minor units."""
    product_class: ProductClass = ProductClass.SERVICE
    """Class of product."""
    includes_tax: bool | None = None
    """If `false`, taxes are added to the amount. Defaults to the tax settings."""
    customer_id: RecordId | None = None
    """Customer whose exemptions apply."""
    country: CountryCode | None = None
    """Country of the service. Defaults to the home jurisdiction."""
    region: Region | None = None
    """Province or state of the service. Requires `country`."""
    day: Day | None = None
    """Day of the service. Defaults to today."""


class TaxRate(Answer):
    """Tax rate of a jurisdiction."""

    id: int
    country: str
    region: str | None
    product_class: ProductClass | None
    name: str
    rate_bp: Annotated[int, doc("Rate in hundredths of a percent, rounded.", 1300)]
    rate_ppm: Annotated[int, doc("Exact rate in parts per million.", 130_000)]
    valid_from: date
    valid_until: date | None


class TaxRateAnswer(Answer):
    """Single tax rate."""

    result: bool = True
    tax_rate: TaxRate


class TaxRateList(Answer):
    """Tax rates by country, region and name."""

    result: bool = True
    tax_rates: list[TaxRate]


class TaxExemption(Answer):
    """Exemption of a customer from taxes."""

    id: int
    customer_id: int
    kind: ExemptionKind
    certificate_number: str
    country: str | None
    valid_from: date
    valid_until: date | None
    note: str


class TaxExemptionAnswer(Answer):
    """Single exemption."""

    result: bool = True
    tax_exemption: TaxExemption


class TaxExemptionList(Answer):
    """Exemptions by customer and first day."""

    result: bool = True
    tax_exemptions: list[TaxExemption]


class TaxSettings(Answer):
    """Home jurisdiction and rounding."""

    result: bool = True
    country: Annotated[str | None, doc("Home country. Null if it is unknown.", "CA")]
    region: str | None
    rounding: TaxRounding
    prices_include_tax: bool


class PreviewedTax(Answer):
    """Tax of one name and rate."""

    name: str
    rate_bp: Annotated[int, doc("Rate in hundredths of a percent, rounded.", 1300)]
    rate_ppm: Annotated[int, doc("Exact rate in parts per million.", 130_000)]
    tax_minor: Annotated[int, doc("Tax in minor units.")]


class TaxPreview(Answer):
    """Taxes of an amount."""

    result: bool = True
    applies: Annotated[bool, doc("If false, no tax rate is known and the default tax of invoices applies.")]
    net_minor: Annotated[int | UnsetType, doc("Amount without taxes, in minor units.")] = UNSET
    gross_minor: Annotated[int | UnsetType, doc("Amount with taxes, in minor units.")] = UNSET
    taxes: Annotated[list[PreviewedTax], doc("Taxes by name and rate.")]
    exemption_kind: ExemptionKind | None = None
    exemption_number: str | None = None
