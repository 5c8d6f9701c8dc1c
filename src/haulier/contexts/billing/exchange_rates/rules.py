"""Rules of exchange rates: the file formats of the ECB, and conversions."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from msgspec import Struct

from haulier.kernel.file_reading import ReadingLimits, UnreadableFile, reading_job
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.money import Money, currency_decimals
from haulier.kernel.values.rounding import divide_half_up

EXCHANGE_RATE_MISSING = declare_error("exchange_rate_missing", 409)
EXCHANGE_RATE_IMPORTED = declare_error("exchange_rate_imported", 409)

ECB_BASE = "EUR"
RATE_MAX_LENGTH = 30
RATES_PER_FILE = 20_000
UNPACKED_MAX_BYTES = 2_000_000
MAX_AGE_DAYS = 7
"""Default age in days up to which a rate is used."""
_DIGITS = Context(prec=12, rounding=ROUND_HALF_EVEN)
"""Precision of rates that are derived from others."""
_DAY_FORMATS = ("%Y-%m-%d", "%d %B %Y")
_HIGHEST = Decimal(10) ** 9


class RateSource(StrEnum):
    """Source of an exchange rate."""

    MANUAL = "manual"
    """Set by the business. Takes precedence on its day."""
    ECB = "ecb"
    """Reference rate of the European Central Bank."""


class ExchangeRateFault(StrEnum):
    """Reason why a value of a file is not imported. The value is part of a message id."""

    RATE = "exchange_rate_value"
    DAY = "exchange_rate_day"
    CURRENCY = "unknown_currency"


class ReadRate(Struct, frozen=True):
    """Rate in a file: 1 euro is `rate` of a currency on a day."""

    quote: str
    rate: str
    valid_on: date


class ReadFault(Struct, frozen=True):
    """Value of a file that is not imported, by its place among the values, from 1."""

    number: int
    currency: str
    fault: ExchangeRateFault
    given: str


class EcbFile(Struct, frozen=True):
    """Rates of a file, and the values that are not imported."""

    rates: Sequence[ReadRate]
    faults: Sequence[ReadFault]


class KnownRate(Struct, frozen=True, kw_only=True):
    """Stored rate: 1 unit of `base` is `rate` units of `quote`."""

    base: str
    quote: str
    rate: Decimal
    valid_on: date
    source: RateSource


class UsedRate(Struct, frozen=True, kw_only=True):
    """Rate between two currencies, as it is used for a conversion."""

    rate: Decimal
    valid_on: date
    source: RateSource | None
    """None if both currencies are the same."""


class Converted(Struct, frozen=True, kw_only=True):
    """Amount in another currency, with the rate used."""

    money: Money
    rate: str
    """Units of the target currency for one unit of the given one, as a decimal."""
    source: RateSource | None
    valid_on: date
    """Day of the rate, or of its older part."""


@reading_job(question=None, answer=EcbFile)
def read_ecb_file(document: bytes, question: None, limits: ReadingLimits) -> EcbFile:
    """Return the rates of a file of the ECB: XML, CSV, or CSV in a ZIP archive.

    Raises `UnreadableFile` for another kind of file, or one without rates.
    """
    try:
        cells = list(_cells(document))
    except (ValueError, ParseError, DefusedXmlException, BadZipFile, LookupError, csv.Error) as fault:
        raise UnreadableFile from fault
    if not 0 < len(cells) <= RATES_PER_FILE:
        raise UnreadableFile
    rates, faults = list[ReadRate](), list[ReadFault]()
    for number, (day, currency, text) in enumerate(cells, 1):
        read = _read_cell(number, day, currency, text)
        if isinstance(read, ReadRate):
            rates.append(read)
        else:
            faults.append(read)
    return EcbFile(rates, faults)


def _cells(document: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield day, currency and rate as a file has them."""
    if document.startswith(b"PK\x03\x04"):
        document = _unpack(document)
    text = document.removeprefix(b"\xef\xbb\xbf").lstrip()
    return _xml_cells(text) if text.startswith(b"<") else _csv_cells(text.decode())


def _unpack(document: bytes) -> bytes:
    with ZipFile(io.BytesIO(document)) as archive:
        (name,) = [each for each in archive.namelist() if each.lower().endswith((".csv", ".xml"))]
        with archive.open(name) as file:
            content = file.read(UNPACKED_MAX_BYTES + 1)
    if len(content) > UNPACKED_MAX_BYTES:
        raise ValueError("the file is too large")
    return content


def _xml_cells(document: bytes) -> Iterator[tuple[str, str, str]]:
    parser = DefusedXMLParser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    parser.feed(document)
    day = ""
    for element in parser.close().iter():
        if element.tag.rpartition("}")[2] == "Cube":
            day = element.get("time", day)
            if element.get("currency"):
                yield day, element.get("currency", ""), element.get("rate", "")


def _csv_cells(text: str) -> Iterator[tuple[str, str, str]]:
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    header = [name.strip() for name in next(lines, [])]
    if not header or header[0].lower() != "date":
        raise ValueError("the first column is not Date")
    for line in lines:
        for currency, rate in zip(header[1:], line[1:], strict=False):
            if currency and rate.strip() not in ("", "N/A"):
                yield line[0].strip(), currency, rate.strip()


def _read_cell(number: int, day: str, currency: str, text: str) -> ReadRate | ReadFault:
    valid_on = _read_day(day)
    if valid_on is None:
        return ReadFault(number, currency[:3], ExchangeRateFault.DAY, day[:30])
    try:
        currency_decimals(currency)
    except ValueError:
        return ReadFault(number, currency[:3], ExchangeRateFault.CURRENCY, currency[:3])
    rate = parse_rate(text)
    if rate is None:
        return ReadFault(number, currency, ExchangeRateFault.RATE, text[:30])
    return ReadRate(currency, rate, valid_on)


def _read_day(text: str) -> date | None:
    for form in _DAY_FORMATS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
    return None


def parse_rate(text: str) -> str | None:
    """Return a rate as a plain decimal, or None if it is out of range."""
    try:
        rate = Decimal(text)
    except InvalidOperation:
        return None
    if not rate.is_finite() or not 0 < rate < _HIGHEST:
        return None
    plain = decimal_text(rate)
    return plain if len(plain) <= RATE_MAX_LENGTH else None


def decimal_text(rate: Decimal) -> str:
    """Return a decimal without exponent and trailing zeros."""
    text = f"{rate:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def find_rate(rates: Iterable[KnownRate], source: str, target: str, on: date, max_age_days: int) -> UsedRate | None:
    """Return the rate between two currencies on a day, or None without a recent one.

    The latest rate not after the day applies: of the pair in either direction, or across a common base. On the same
    day, rates of the business take precedence, then those of the pair.
    """
    if source == target:
        return UsedRate(rate=Decimal(1), valid_on=on, source=None)
    latest = _latest_by_pair(rate for rate in rates if 0 <= (on - rate.valid_on).days <= max_age_days)
    found = [
        *(_same(each) for each in [latest.get((source, target))] if each),
        *(_inverse(each) for each in [latest.get((target, source))] if each),
        *(
            _across(latest[base, source], latest[base, target])
            for base in sorted({base for base, _ in latest})
            if (base, source) in latest and (base, target) in latest
        ),
    ]
    return max(found, key=lambda used: (used.valid_on, used.source is RateSource.MANUAL), default=None)


def _latest_by_pair(rates: Iterable[KnownRate]) -> Mapping[tuple[str, str], KnownRate]:
    ordered = sorted(rates, key=lambda rate: (rate.valid_on, rate.source is RateSource.MANUAL))
    return {(rate.base, rate.quote): rate for rate in ordered}


def _same(rate: KnownRate) -> UsedRate:
    return UsedRate(rate=rate.rate, valid_on=rate.valid_on, source=rate.source)


def _inverse(rate: KnownRate) -> UsedRate:
    return UsedRate(rate=_DIGITS.divide(Decimal(1), rate.rate), valid_on=rate.valid_on, source=rate.source)


def _across(source: KnownRate, target: KnownRate) -> UsedRate:
    return UsedRate(
        rate=_DIGITS.divide(target.rate, source.rate),
        valid_on=min(source.valid_on, target.valid_on),
        source=RateSource.MANUAL if RateSource.MANUAL in (source.source, target.source) else source.source,
    )


def convert_money(money: Money, used: UsedRate, currency: str) -> Money:
    """Return an amount in another currency.

    Halves of its minor unit are rounded away from zero.
    """
    exact = Fraction(money.minor) * Fraction(used.rate)
    shift = currency_decimals(currency) - currency_decimals(money.currency)
    exact *= Fraction(10) ** shift
    return Money(divide_half_up(exact.numerator, exact.denominator), currency)
