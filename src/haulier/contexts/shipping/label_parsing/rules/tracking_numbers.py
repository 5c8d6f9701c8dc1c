"""Rules of label parsing: tracking numbers.

UPS: 1Z, 16 signs, the last one a check digit (letters count 2 to 9 and round again). USPS: 22 digits that begin with 92 to 95,
modulo 10 as in GS1. FedEx: 12 digits with weights 3, 1, 7; 15 digits as in GS1. UPU S10: two letters, nine digits, the country.
Canada Post: 16 digits as in GS1. SSCC-18: as in GS1.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from haulier.kernel.values.ids import is_tracking_number
from haulier.kernel.values.words import fold

_NAMES = {
    "UPS": ("ups", "united parcel service"),
    "FEDEX": ("fedex", "federal express"),
    "USPS": ("usps", "u s postage", "united states postal service", "priority mail", "usps tracking"),
    "CANADA_POST": ("canada post", "postes canada", "xpresspost", "expedited parcel"),
    "PUROLATOR": ("purolator",),
    "CANPAR": ("canpar",),
    "DHL": ("dhl",),
    "DPD": ("dpd",),
    "GLS": ("gls",),
    "EVRI": ("evri", "hermes"),
    "ROYAL_MAIL": ("royal mail",),
    "LA_POSTE": ("la poste", "colissimo"),
    "CHRONOPOST": ("chronopost",),
    "CORREOS": ("correos",),
    "SEUR": ("seur",),
    "SF_EXPRESS": ("sf express", "顺丰", "順豐"),
    "ONTRAC": ("ontrac",),
    "LASERSHIP": ("lasership",),
    "AMAZON": ("amazon logistics", "amazon shipping"),
}
_SERVICES = (
    "ups next day air saver", "ups next day air early", "ups next day air", "ups 2nd day air", "ups 3 day select",
    "ups worldwide saver", "ups worldwide express", "ups worldwide expedited", "ups express saver", "ups standard",
    "ups expedited", "ups express", "ups ground", "ups surepost", "next day air", "2nd day air",
    "fedex ground economy", "fedex ground", "fedex home delivery", "fedex 2day", "fedex express saver",
    "fedex standard overnight", "fedex priority overnight", "fedex first overnight", "fedex international priority",
    "fedex international economy", "priority overnight", "standard overnight", "home delivery", "express saver",
    "usps priority mail express", "usps priority mail", "usps ground advantage", "priority mail express", "priority mail",
    "ground advantage", "first class mail", "media mail",
    "expedited parcel", "xpresspost", "regular parcel", "small packet", "tracked packet", "colis acceleres",
    "purolator express", "purolator ground", "dhl express worldwide", "express worldwide", "dhl paket", "dhl parcel",
    "dpd classic", "dpd predict", "gls business parcel", "royal mail tracked 24", "royal mail tracked 48", "tracked 24",
    "tracked 48", "special delivery", "colissimo", "chrono 13", "paq premium", "paq estandar",
)  # fmt: skip
"""Names of services, folded."""
SERVICE_WORDS = ("service", "servicio", "servizio", "versandart", "服务", "服務", "product", "produkt")
"""Captions of a service name."""


class NamedService(Struct, frozen=True):
    """A service as a label names it, and whether its name is one that carriers use."""

    name: str
    known: bool


def carriers_in(text: str) -> Iterator[str]:
    """Return carriers that a line names."""
    words = f" {_plain(text)} "
    for code, names in _NAMES.items():
        if any(f" {name} " in words or (not name.isascii() and name in words) for name in names):
            yield code


def service_in(text: str) -> NamedService | None:
    """Return the service that a line names."""
    plain = _plain(text)
    for word in SERVICE_WORDS:
        if match := re.match(rf"\s*{re.escape(word)}\s*[:：]\s*(\S.*)", text, re.IGNORECASE):
            return NamedService(match[1].strip(), _plain(match[1]) in _SERVICES)
    found = [name for name in _SERVICES if f" {name} " in f" {plain} "]
    if not found:
        return _unspaced_service(plain)
    longest = max(found, key=len)
    return NamedService(text.strip() if len(plain) <= len(longest) + 12 else longest.upper(), True)


def _unspaced_service(plain: str) -> NamedService | None:
    """Return a service whose words were read as one, which happens to blurred letters."""
    bare = plain.replace(" ", "")
    name = next((name for name in _SERVICES if name.replace(" ", "") == bare), None)
    return NamedService(name.upper(), True) if name else None


def is_name(text: str) -> bool:
    """Return True if a line is only the name of a carrier or a service."""
    plain = _plain(text)
    service = service_in(text)
    return any(plain in names for names in _NAMES.values()) or (
        service is not None and service.known and len(plain) <= len(_plain(service.name)) + 2
    )


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+|_", " ", fold(text)).split())


_LETTERS_FOR_DIGITS = str.maketrans("OQDILZSB", "00011258")
"""Letters that are read where digits stand."""
UNKNOWN = None


class KnownNumber(Struct, frozen=True):
    """A number, and whose it is; `carrier` is None where the form alone does not tell."""

    number: str
    carrier: str | None


def gs1_check(digits: str) -> bool:
    """Return True if the check digit is valid (GS1 General Specifications, 7.9)."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return digits.isascii() and total % 10 == 0


def ups_check(number: str) -> bool:
    """Return True if the check character of a 1Z number is valid."""
    values = [int(sign) if sign.isdigit() else (ord(sign) - 63) % 10 for sign in number[2:17]]
    total = sum(values[0::2]) + 2 * sum(values[1::2])
    return number[17].isdigit() and (10 - total % 10) % 10 == int(number[17])


def fedex_check(number: str) -> bool:
    """Return True if the check digit of a 12-digit FedEx number is valid."""
    total = sum(int(digit) * weight for digit, weight in zip(number[:11], (3, 1, 7) * 4, strict=False))
    return total % 11 % 10 == int(number[11])


def s10_check(number: str) -> bool:
    """Return True if the check digit of a UPU S10 number is valid."""
    total = sum(int(digit) * weight for digit, weight in zip(number[2:10], (8, 6, 4, 2, 3, 5, 9, 7), strict=True))
    check = {10: 0, 11: 5}.get(11 - total % 11, 11 - total % 11)
    return check == int(number[10])


_S10_POSTS = {"CA": "CANADA_POST", "US": "USPS", "GB": "ROYAL_MAIL", "FR": "LA_POSTE", "DE": "DHL", "ES": "CORREOS"}


class _Form(Struct, frozen=True):
    pattern: re.Pattern[str]
    check: Callable[[str], bool]
    carrier: str | None


_FORMS = (
    _Form(re.compile(r"1Z[0-9A-Z]{15}[0-9]"), ups_check, "UPS"),
    _Form(re.compile(r"9[2-5][0-9]{20}"), gs1_check, "USPS"),
    _Form(re.compile(r"[A-Z]{2}[0-9]{9}[A-Z]{2}"), s10_check, UNKNOWN),
    _Form(re.compile(r"[0-9]{16}"), gs1_check, "CANADA_POST"),
    _Form(re.compile(r"[0-9]{15}"), gs1_check, "FEDEX"),
    _Form(re.compile(r"[0-9]{12}"), fedex_check, "FEDEX"),
    _Form(re.compile(r"JJ?D[0-9]{16,20}"), lambda number: True, "DHL"),
    _Form(re.compile(r"TBA[0-9]{12}"), lambda number: True, "AMAZON"),
    _Form(re.compile(r"SF[0-9]{12,13}"), lambda number: True, "SF_EXPRESS"),
    _Form(re.compile(r"1LS[0-9A-Z]{12,15}"), lambda number: True, "LASERSHIP"),
)


def bare_number(text: str) -> str:
    """Return a number without separators: `1Z 999 AA1` is `1Z999AA1`."""
    return re.sub(r"[\s.\-()]", "", text).upper()


def known_number(text: str) -> KnownNumber | None:
    """Return the number of a text, if its format and check digit are valid, or None."""
    number = unwrapped_number(bare_number(text))
    if is_tracking_number(number):
        return KnownNumber(number, None)
    for form in _FORMS:
        if form.pattern.fullmatch(number) and form.check(number):
            carrier = _S10_POSTS.get(number[-2:]) if form.check is s10_check else form.carrier
            return KnownNumber(number, carrier)
    return None


def repair_number(text: str) -> KnownNumber | None:
    """Return `known_number` after replacing letters misread for digits.

    The check digit decides.
    """
    number = bare_number(text)
    return known_number(number) or next((known for each in _repaired(number) if (known := known_number(each))), None)


def _repaired(number: str) -> Iterator[str]:
    yield number.translate(_LETTERS_FOR_DIGITS)
    if len(number) == 18 and number[:2] in {"1Z", "IZ", "LZ", "12"}:
        yield "1Z" + number[2:].replace("O", "0").replace("I", "1")
        yield "1Z" + number[2:].translate(_LETTERS_FOR_DIGITS)


def is_routing_code(text: str) -> bool:
    """Return True for a routing code, which names a destination.

    GS1 prints (420) and a postal code, UPS `CA 859 2-37`.
    """
    to_postal_code = re.fullmatch(r"420[0-9]{5}(?:[0-9]{4})?", bare_number(text))
    return bool(to_postal_code or re.fullmatch(r"[A-Z]{2,3} [0-9]{3} [0-9]-[0-9]{2}", text.strip()))


def unwrapped_number(number: str) -> str:
    """Return the tracking number of a barcode without routing prefix."""
    if match := re.fullmatch(r"420(?:[0-9]{5}|[0-9]{9})(9[2-5][0-9]{20})", number):
        return match[1]
    if (
        number.isdigit() and len(number) == 34
    ):  # FedEx, ANSI MH10: the number is the last 14 digits, filled up with noughts
        return number[20:].lstrip("0")
    if number.isdigit() and len(number) == 22 and number.startswith("96"):  # FedEx Ground
        return number[7:22]
    return number
