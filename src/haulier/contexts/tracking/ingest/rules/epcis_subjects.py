"""What EPCIS identifiers name: a single thing that can be tracked, or a class of things that cannot.

One thing has one number in every form it is written in: a URN (EPC Tag Data Standard), a GS1 Digital Link, or a private
address. GS1 keys become what is printed beside their barcodes: an SSCC its 18 digits, any other `(01)…(21)…`.
"""
# Why not a library: docs/decisions/0019-libraries-weighed.md

import re
from functools import lru_cache
from urllib.parse import unquote

from haulier.contexts.otep.public import check_digit, gln_digits, sscc_digits
from haulier.contexts.tracking.ingest.rules.parsed import SubjectNames

NUMBER_MAX = 100
URI_MAX = 2048
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f\ud800-\udfff]+")
_URN = re.compile(r"urn:epc:id:([a-z]+):([0-9]+)\.([^.]*)(?:\.(.+))?")
_CLASS = re.compile(r"urn:epc:(class|idpat):")
_DIGITAL_LINK = re.compile(r"https?://[^/?#]+(?:/[^?#]*?)?/(00|01|414|8003|8004)/([^/?#]+)(?:/([^?#]*))?(?:[?#].*)?")
_CHECKED_LENGTHS = {"00": 18, "01": 14, "414": 13, "8003": 14}
"""Digits of a GS1 key up to and including its check digit."""
_OWN_SUBJECT = re.compile(r"(?:https?://[^/?#]+(?:/[^?#]*)?/otep/subjects/|urn:otep:subject:)([^/?#]+)")
_SERIAL = re.compile(r"(?:.*/)?21/([^/]+)(?:/.*)?")


def is_uri(text: str) -> bool:
    """Whether a text is an absolute URI of at most `URI_MAX` characters, without control characters and lone surrogates."""
    return len(text) <= URI_MAX and _URI.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def parse_epc(epc: str) -> SubjectNames | None:
    """The thing that an identifier names; None for a class of things, and for one too long to be a tracking number."""
    number = _subject_number(epc)
    if number is None or len(number) > NUMBER_MAX:
        return None
    sscc = sscc_digits(number)
    is_valid = sscc is not None and sscc[-1] == check_digit(sscc[:-1])
    return SubjectNames(names=(number,), sscc=sscc if is_valid else None)


@lru_cache(maxsize=4096)
def expected_check_digit(epc: str) -> str | None:
    """Return the check digit that the GS1 key of a Digital Link should have; None where it is right or has none."""
    link = _DIGITAL_LINK.fullmatch(epc)
    length = _CHECKED_LENGTHS.get(link[1]) if link else None
    if not link or not length:
        return None
    value = unquote(link[2])
    digits = value.zfill(length) if link[1] == "01" else value[:length]
    if len(digits) != length or not (digits.isascii() and digits.isdigit()):
        return None
    expected = check_digit(digits[:-1])
    return expected if digits[-1] != expected else None


def _subject_number(epc: str) -> str | None:
    if urn := _URN.fullmatch(epc):
        return _number_of_urn(epc, urn[1], urn[2], urn[3], unquote(urn[4]) if urn[4] else "")
    if own := _OWN_SUBJECT.fullmatch(epc):
        return unquote(own[1])
    if _CLASS.match(epc):
        return None
    if link := _DIGITAL_LINK.fullmatch(epc):
        return _number_of_link(epc, link[1], unquote(link[2]), link[3] or "")
    return epc


def _number_of_urn(epc: str, scheme: str, prefix: str, reference: str, serial: str) -> str | None:
    if scheme == "sscc" and reference.isdecimal() and len(prefix + reference) == 17:
        body = reference[0] + prefix + reference[1:]
        return body + check_digit(body)
    if scheme == "sgtin" and reference.isdecimal() and len(prefix + reference) == 13:
        body = reference[0] + prefix + reference[1:]
        return f"(01){body}{check_digit(body)}(21){serial}"
    if scheme == "grai" and len(prefix + reference) == 12 and (prefix + reference).isdecimal():
        return f"(8003)0{prefix}{reference}{check_digit(prefix + reference)}{serial}"
    if scheme == "giai":
        return f"(8004){prefix}{unquote(reference)}{'.' + serial if serial else ''}"
    return epc


def _number_of_link(epc: str, key: str, value: str, rest: str) -> str | None:
    if key == "00":
        return value if len(value) == 18 and value.isdecimal() else epc
    if key == "01":  # without a serial number it is a product, or a lot of one
        serial = _SERIAL.fullmatch(rest)
        return f"(01){value.zfill(14)}(21){unquote(serial[1])}" if serial else None
    return f"({key}){value}"


def parse_gln(uri: str) -> str | None:
    """The Global Location Number of a place that is written as a URN or a Digital Link; None for any other place."""
    if (urn := _URN.fullmatch(uri)) and urn[1] == "sgln":
        body = urn[2] + urn[3]
        return body + check_digit(body) if len(body) == 12 and body.isdecimal() else None
    link = _DIGITAL_LINK.fullmatch(uri)
    return gln_digits(link[2]) if link and link[1] == "414" else None
