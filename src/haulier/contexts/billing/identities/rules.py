"""Rules of billing identities: numbers by country and scheme."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from stdnum import bic, get_cc_module, iban, luhn
from stdnum.exceptions import ValidationError

CODE_MAX = 35
ELECTRONIC_ADDRESS_MAX = 100
_COMPACT = re.compile(r"[\s./-]+")
_VAT = re.compile(r"[A-Z]{2}[A-Z0-9]{2,18}")
_GREECE = {"EL": "gr", "GR": "gr"}
"""Greek VAT numbers begin with EL, while the country is GR."""
TAX_NUMBERS = {"AU": "abn", "CA": "bn", "IN": "gstin", "NZ": "ird", "SG": "uen", "US": "ein"}
"""Names of the validated tax registration numbers by country."""
_SCHEME_NUMBERS = (
    2, 7, 9, 37, 60, 88, 96, 97, 106, 130, 135, 142, 147, 151, 154, 158, 170, 177, 183, 184, 188, 190, 191, 192, 193,
    194, 195, 196, 198, 199, 200, 201, 202, 203, 204, 205, 208, 209, 210, 211, 212, 213, 215, 216, 217, 218, 221,
    225, 230, 235, 240, 9910, 9913, 9914, 9915, 9918, 9919, 9920, 9922, 9923, 9924, 9925, 9926, 9927, 9928, 9929,
    9930, 9931, 9932, 9933, 9934, 9935, 9936, 9937, 9938, 9939, 9940, 9941, 9942, 9943, 9944, 9945, 9946, 9947, 9948,
    9949, 9950, 9951, 9952, 9953, 9957, 9959,
)  # fmt: skip
ELECTRONIC_SCHEMES = frozenset(f"{number:04}" for number in _SCHEME_NUMBERS)
"""Electronic address schemes of Peppol (EAS)."""


class BillingIdentity(Struct, frozen=True, kw_only=True):
    """Legal identity of a business or customer, as invoices state it."""

    legal_name: str | None = None
    street: str | None = None
    city: str | None = None
    postal_code: str | None = None
    region: str | None = None
    country: str | None = None
    vat_number: str | None = None
    tax_number: str | None = None
    company_number: str | None = None
    electronic_scheme: str | None = None
    electronic_address: str | None = None
    contact_name: str | None = None
    contact_phone: str | None = None
    contact_email: str | None = None
    iban: str | None = None
    bic: str | None = None
    buyer_reference: str | None = None


IDENTITY_FIELDS = BillingIdentity.__struct_fields__


def complete_identity(issued: BillingIdentity, current: BillingIdentity) -> BillingIdentity:
    """Return an issued identity, with values that it lacks taken from the current one.

    A scheme and its address belong together.
    """
    values = {name: getattr(issued, name) or getattr(current, name) for name in IDENTITY_FIELDS}
    if issued.electronic_address is None:
        values["electronic_scheme"] = current.electronic_scheme
    return BillingIdentity(**values)


def address_lines_of(identity: BillingIdentity) -> list[str]:
    """Return the printed lines of an address."""
    town = " ".join(filter(None, (identity.postal_code, identity.city, identity.region)))
    return [line for line in (identity.street, town, identity.country) if line]


def _valid(module: Any, number: str) -> str | None:
    try:
        return str(module.validate(number))
    except ValidationError:
        return None


def normalize_vat_number(text: str) -> str | None:
    """Return a VAT number with its country prefix, or None if it is invalid there."""
    number = _COMPACT.sub("", text).upper()
    if not _VAT.fullmatch(number):
        return None
    prefix = number[:2]
    module = get_cc_module(_GREECE.get(prefix, prefix.lower()), "vat")
    if module is None:
        return number
    if _valid(module, number) is None and _valid(module, number[2:]) is None:
        return None
    return f"EL{number[2:]}" if prefix == "GR" else number


def normalize_tax_number(text: str, country: str | None) -> str | None:
    """Return a tax registration number, or None if it is not valid in the country."""
    name = TAX_NUMBERS.get(country or "")
    if country is None or name is None:
        return text.strip()
    return _valid(get_cc_module(country.lower(), name), text)


def normalize_iban(text: str) -> str | None:
    """Return an IBAN without spaces, or None if it is not valid."""
    return _valid(iban, text)


def normalize_bic(text: str) -> str | None:
    """Return a BIC, or None if it is not valid."""
    return _valid(bic, text)


def _national(country: str, name: str) -> Callable[[str], bool]:
    return lambda number: _valid(get_cc_module(country, name), number) is not None


def _is_gln(number: str) -> bool:
    if not re.fullmatch(r"\d{13}", number):
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(number[:12]))
    return (10 - total % 10) % 10 == int(number[12])


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda number: re.fullmatch(pattern, number) is not None


def _vat_of(country: str) -> Callable[[str], bool]:
    return lambda number: number.upper().startswith(country) and normalize_vat_number(number) is not None


def _is_siret(number: str) -> bool:
    return re.fullmatch(r"\d{14}", number) is not None and luhn.is_valid(number)


SCHEME_CHECKS: Mapping[str, Callable[[str], bool]] = {
    "0002": _national("fr", "siren"),
    "0007": _national("se", "orgnr"),
    "0009": _is_siret,
    "0060": _matches(r"\d{9}"),
    "0088": _is_gln,
    "0096": _matches(r"\d{17}"),
    "0106": _matches(r"\d{8}"),
    "0151": _national("au", "abn"),
    "0184": _national("dk", "cvr"),
    "0192": _national("no", "orgnr"),
    "0196": _matches(r"\d{10}"),
    "0201": _matches(r"[A-Za-z0-9]{6}"),
    "0204": _matches(r"\d{2,12}(-[A-Za-z0-9]{1,30})?-\d{2}"),
    "0208": _national("be", "vat"),
    "0211": _vat_of("IT"),
    "9930": _vat_of("DE"),
    "9957": _vat_of("FR"),
    **{
        scheme: _vat_of(country)
        for scheme, country in {
            "9914": "AT",
            "9925": "BE",
            "9926": "BG",
            "9928": "CY",
            "9929": "CZ",
            "9920": "ES",
            "9931": "EE",
            "9932": "GB",
            "9934": "HR",
            "9935": "IE",
            "9937": "LT",
            "9938": "LU",
            "9939": "LV",
            "9943": "MT",
            "9944": "NL",
            "9945": "PL",
            "9946": "PT",
            "9947": "RO",
            "9949": "SI",
            "9950": "SK",
            "9933": "EL",
            "9910": "HU",
        }.items()
    },
}
"""Checks of electronic addresses by scheme. Other schemes are checked for their characters only."""


def is_electronic_address(scheme: str, address: str) -> bool:
    """Return True if an electronic address is valid in its scheme."""
    check = SCHEME_CHECKS.get(scheme, _matches(r"[A-Za-z0-9:._/@-]{1,100}"))
    return check(address)
