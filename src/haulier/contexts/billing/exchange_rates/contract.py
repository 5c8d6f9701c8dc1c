"""Request and response models for exchange rates."""

from datetime import date, datetime
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.billing.exchange_rates.rules import (
    MAX_AGE_DAYS,
    RATE_MAX_LENGTH,
    RateSource,
    parse_rate,
)
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.confidential import Confidential
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.operations.ids import ExchangeRateId
from haulier.kernel.values.currencies import Currency
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

AMOUNT_MAX = 10**12
FILE_MAX_LENGTH = 200_000
FAULTS_SHOWN = 100


def _require_rate(text: str) -> str:
    rate = parse_rate(text)
    if rate is None:
        raise PydanticCustomError("exchange_rate_value", "not a positive number", {"given": text})
    return rate


RateText = Annotated[
    str,
    Field(min_length=1, max_length=RATE_MAX_LENGTH, pattern=r"^[0-9]{1,9}(\.[0-9]{1,20})?$", examples=["1.4712"]),
    AfterValidator(_require_rate),
]


class SetExchangeRate(Request):
    """Exchange rate of a day."""

    base_currency: Currency = Field(examples=["EUR"])
    """Base currency: the rate is the price of one unit (ISO 4217)."""
    quote_currency: Currency
    """Currency in which the rate is expressed (ISO 4217)."""
    rate: RateText
    """Units of `quote_currency` for one unit of `base_currency`, as a decimal."""
    valid_on: Day | None = None
    """Day of the rate. It applies until a later one. Defaults to today."""

    @model_validator(mode="after")
    def _names_two_currencies(self) -> Self:
        if self.base_currency == self.quote_currency:
            raise PydanticCustomError("exchange_rate_pair", "the currencies must differ")
        return self


class ExchangeRateRef(Request):
    """An exchange rate."""

    exchange_rate_id: ExchangeRateId
    """ID of the exchange rate."""


class ListExchangeRates(PageRequest):
    """Filters of exchange rates."""

    base_currency: Currency | None = None
    """Filter by base currency."""
    quote_currency: Currency | None = None
    """Filter by quote currency."""
    source: RateSource | None = None
    """Filter by source."""
    date_from: Day | None = None
    """First day."""
    date_to: Day | None = None
    """Last day."""


class ImportExchangeRates(FileInput):
    """File of exchange rates."""

    content: Annotated[str, Confidential] = Field(
        min_length=1,
        max_length=FILE_MAX_LENGTH,
        repr=False,
        examples=["Date, USD, CAD,\n27 November 2026, 1.0856, 1.5203,\n"],
    )
    """File of the European Central Bank, as text or in base64: XML, CSV, or CSV in a ZIP archive. At most 200,000
    characters, enough for 90 days."""
    check_only: bool = False
    """If true, check each row by the rules of the import without writing anything."""


class ConvertAmount(Request):
    """Amount to convert."""

    amount_minor: int = Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX, examples=[10_000])
    """Amount in minor units of `from_currency`."""
    from_currency: Currency = Field(examples=["USD"])
    """Currency of the amount (ISO 4217)."""
    to_currency: Currency | None = None
    """Target currency (ISO 4217). Defaults to the business's currency."""
    day: Day | None = None
    """Day of the conversion. Defaults to today."""


class SetExchangeRateSettings(Request):
    """Settings of conversions. Omitted fields are reset to their defaults."""

    max_age_days: int = Field(default=MAX_AGE_DAYS, ge=0, le=365)
    """Maximum age of a rate in days. Conversions with older rates are refused."""
    daily_import: bool = False
    """If true, import the reference rates of the European Central Bank every day. Requires the setting
    `exchange_rates` of this instance."""


class ExchangeRate(Answer):
    """Exchange rate of a day."""

    id: int
    base_currency: Annotated[str, doc("Base currency: the rate is the price of one unit (ISO 4217).", "EUR")]
    quote_currency: Annotated[str, doc("Currency in which the rate is expressed (ISO 4217).", "CAD")]
    rate: Annotated[str, doc("Units of `quote_currency` for one unit of `base_currency`, as a decimal.", "1.4712")]
    valid_on: date
    source: RateSource
    created_at: datetime


class ExchangeRateAnswer(Answer):
    """Single exchange rate."""

    result: bool = True
    exchange_rate: ExchangeRate


class ExchangeRateList(PagedAnswer):
    """A page of exchange rates, newest first."""

    exchange_rates: list[ExchangeRate]


class ExchangeRateFileFault(Answer):
    """Value of a file that was not imported."""

    number: Annotated[int, doc("Place of the value among the rates of the file, starting at 1.")]
    field: Annotated[str, doc("Currency of the value.", "USD")]
    code: Annotated[str, doc("Machine-readable reason.", "EXCHANGE_RATE_VALUE")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class ExchangeRateImport(Answer):
    """Result of an import."""

    result: bool = True
    added: int
    updated: Annotated[int, doc("Number of rates that the file corrects.")]
    unchanged: int
    refused: int
    first_day: date | None
    last_day: date | None
    errors: Annotated[list[ExchangeRateFileFault], doc("First 100 refused values.")]


class ConvertedAmount(Answer):
    """Amount in another currency."""

    result: bool = True
    amount_minor: Annotated[int, doc("Amount in minor units of `to_currency`.")]
    to_currency: Annotated[str, doc("Target currency (ISO 4217).", "CAD")]
    formatted: Annotated[str, doc("Amount with all decimals and its currency.", "147.12 CAD")]
    rate: Annotated[str, doc("Units of the target currency for one unit of the given one, as a decimal.", "1.4712")]
    source: Annotated[RateSource | None, doc("Source of the rate. Null if both currencies are the same.")]
    valid_on: Annotated[date, doc("Day of the rate, or of its older part.")]


class ExchangeRateSettings(Answer):
    """Settings of conversions."""

    result: bool = True
    max_age_days: int
    daily_import: bool
