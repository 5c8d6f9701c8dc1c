"""Rules of ingest: epcis event shape.

One thing has one number in every form it is written in: a URN (EPC Tag Data Standard), a GS1 Digital Link, or a private
address. GS1 keys become what is printed beside their barcodes: an SSCC its 18 digits, any other `(01)…(21)…`.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from msgspec import Struct

from haulier.contexts.otep.public import (
    CORRECTION_REASONS,
    EXPERIMENTAL_PREFIX,
    check_digit,
    gln_digits,
    is_experimental_code,
    member_path,
    parse_timestamp,
    printable_excerpt,
    resolve_status,
    sscc_digits,
)
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason, SubjectNames

# docs/decisions/libraries.md


NUMBER_MAX = 100
URI_MAX = 2048
_EPCIS_SUBJECTS_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f\ud800-\udfff]+")
_URN = re.compile(r"urn:epc:id:([a-z]+):([0-9]+)\.([^.]*)(?:\.(.+))?")
_CLASS = re.compile(r"urn:epc:(class|idpat):")
_DIGITAL_LINK = re.compile(r"https?://[^/?#]+(?:/[^?#]*?)?/(00|01|414|8003|8004)/([^/?#]+)(?:/([^?#]*))?(?:[?#].*)?")
_CHECKED_LENGTHS = {"00": 18, "01": 14, "414": 13, "8003": 14}
"""Digits of a GS1 key up to and including its check digit."""
_OWN_SUBJECT = re.compile(r"(?:https?://[^/?#]+(?:/[^?#]*)?/otep/subjects/|urn:otep:subject:)([^/?#]+)")
_SERIAL = re.compile(r"(?:.*/)?21/([^/]+)(?:/.*)?")


def is_uri(text: str) -> bool:
    """Return True if a text is an absolute URI of at most `URI_MAX` characters.

    Control characters and lone surrogates are not allowed.
    """
    return len(text) <= URI_MAX and _EPCIS_SUBJECTS_URI.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def parse_epc(epc: str) -> SubjectNames | None:
    """Return the object that an identifier names, or None.

    None for a class of objects, and for a value too long to be a tracking number.
    """
    number = _subject_number(epc)
    if number is None or len(number) > NUMBER_MAX:
        return None
    sscc = sscc_digits(number)
    is_valid = sscc is not None and sscc[-1] == check_digit(sscc[:-1])
    return SubjectNames(names=(number,), sscc=sscc if is_valid else None)


@lru_cache(maxsize=4096)
def expected_check_digit(epc: str) -> str | None:
    """Return the expected check digit of a Digital Link's GS1 key.

    None if it is right or has none.
    """
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
    """Return the Global Location Number of a URN or Digital Link, or None."""
    if (urn := _URN.fullmatch(uri)) and urn[1] == "sgln":
        body = urn[2] + urn[3]
        return body + check_digit(body) if len(body) == 12 and body.isdecimal() else None
    link = _DIGITAL_LINK.fullmatch(uri)
    return gln_digits(link[2]) if link and link[1] == "414" else None


_SHEET: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("epcis_vocabulary.toml").read_text(encoding="utf-8")
)
BUSINESS_STEPS: Mapping[str, str] = _SHEET["steps"]
DISPOSITIONS: Mapping[str, str] = _SHEET["dispositions"]
DISPOSITION_REASONS: Mapping[str, str] = _SHEET["reasons"]
_GRAVE_DISPOSITIONS = _SHEET["grave"]

# Bare, as a compact IRI, as a Web URI of either host, or as the URN of EPCIS 1.2 and XML.
_CBV_FORM = re.compile(
    r"(?:urn:epcglobal:cbv:(?:bizstep|disp|er):|cbv:(?i:BizStep-|Disp-|ER-)?"
    r"|https?://(?:ref|ns)\.gs1\.org/cbv/(?i:BizStep-|Disp-|ER-)?)?([A-Za-z_]+)"
)
_EPCIS_VOCABULARY_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x20]+")

for code in {*BUSINESS_STEPS.values(), *DISPOSITIONS.values(), *_GRAVE_DISPOSITIONS.values()} - {""}:
    if resolve_status(code) is None and not is_experimental_code(code):
        raise ValueError(f"epcis_vocabulary.toml maps to the unknown code {code!r}")


def bare_word(word: str) -> str:
    """Return a CBV word without its prefix; other texts are unchanged."""
    match = _CBV_FORM.fullmatch(word)
    return match[1] if match else word


def is_known_word(word: str, vocabulary: Mapping[str, str]) -> bool:
    """Return True if a bare word is in the vocabulary, or a URI of another one."""
    return word in vocabulary or (
        _EPCIS_VOCABULARY_URI.fullmatch(word) is not None and _CBV_FORM.fullmatch(word) is None
    )


def status_code_of_words(step: str, disposition: str) -> str:
    """Return the status code of a business step and a disposition.

    Either may be empty. A grave disposition decides, else the step, else the disposition. Words without a status code
    give an experimental code that contains one of them.
    """
    return (
        _GRAVE_DISPOSITIONS.get(disposition)
        or BUSINESS_STEPS.get(step)
        or DISPOSITIONS.get(disposition)
        or EXPERIMENTAL_PREFIX + "epcis-" + _experimental_name(step or disposition)
    )


def _experimental_name(word: str) -> str:
    if not word:
        return "observed"
    return word.replace("_", "-") if word in BUSINESS_STEPS or word in DISPOSITIONS else "other"


ACTIONS = ("OBSERVE", "ADD", "DELETE")
EPCS_MAX = 1000
OFFSET = re.compile(r"[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00)")


class EpcisEventType(Struct, frozen=True):
    """An event type: required fields, subject fields, and fields of goods classes."""

    required: tuple[str, ...]
    subjects: tuple[str, ...]
    classes: tuple[str, ...] = ()


EPCIS_EVENT_TYPES: Mapping[str, EpcisEventType] = {
    "ObjectEvent": EpcisEventType(("action",), ("epcList",), ("quantityList",)),
    "AggregationEvent": EpcisEventType(("action",), ("childEPCs", "parentID"), ("childQuantityList",)),
    "AssociationEvent": EpcisEventType(("action", "parentID"), ("childEPCs", "parentID"), ("childQuantityList",)),
    "TransactionEvent": EpcisEventType(("action", "bizTransactionList"), ("epcList", "parentID"), ("quantityList",)),
    "TransformationEvent": EpcisEventType(
        (), ("outputEPCList", "inputEPCList"), ("inputQuantityList", "outputQuantityList")
    ),
}
"""`subjects` are in order: the first field that names anything gives the subjects of the event."""

_COMMON_FIELDS = (
    "@context type eventTime eventTimeZoneOffset recordTime eventID errorDeclaration certificationInfo bizStep disposition "
    "readPoint bizLocation bizTransactionList sourceList destinationList sensorElementList persistentDisposition ilmd"
)
_FIELDS = {
    name: frozenset((*_COMMON_FIELDS.split(), *kind.required, *kind.subjects, *kind.classes, *more))
    for name, kind in EPCIS_EVENT_TYPES.items()
    for more in [("transformationID",) if name == "TransformationEvent" else ()]
}
_QUANTITY = {"epcClass", "quantity", "uom"}
_UNIT = re.compile(r"[A-Z0-9]{2,3}")
_ERROR_REASONS = frozenset(CORRECTION_REASONS)
_PARTY_TYPES = frozenset({"owning_party", "possessing_party", "location"})
_TRANSACTION_TYPES = frozenset(
    [
        "bol",
        "cert",
        "desadv",
        "inv",
        "pedigree",
        "po",
        "poc",
        "prodorder",
        "recadv",
        "rma",
        "testprd",
        "testres",
        "upevt",
    ]
)


def epcis_event_faults(event: Any, path: str) -> Iterator[RefusalReason]:
    """Yield all faults of an event with normalised names."""
    if not isinstance(event, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    name = event.get("type")
    event_type = EPCIS_EVENT_TYPES.get(name) if isinstance(name, str) else None
    if event_type is None:
        yield RefusalReason(f"{path}.type", "ingest.epcis_kind", {"allowed": ", ".join(EPCIS_EVENT_TYPES)})
        return
    for name in ("eventTime", "eventTimeZoneOffset", *event_type.required):
        if name not in event:
            yield RefusalReason(f"{path}.{name}", "otep.validate.missing", {"field": name})
    for name, value in event.items():
        if name in _FIELD_CHECKS:
            yield from epcis_field_faults(name, value, path)
        elif value is None:
            yield RefusalReason(member_path(path, name), "otep.validate.null_value")
        elif ":" not in name and name not in _FIELDS[event["type"]]:
            yield RefusalReason(member_path(path, name), "ingest.epcis_field", {"field": printable_excerpt(name)})


def epcis_field_faults(name: str, value: Any, path: str) -> Iterable[RefusalReason]:
    """Return the faults of a field whose format the standard defines."""
    where = member_path(path, name)
    if value is None:
        return [RefusalReason(where, "otep.validate.null_value")]
    return _FIELD_CHECKS[name](value, where)


def printable_value(value: Any) -> str:
    """Return an external value for a message: its text, or the name of its type."""
    return printable_excerpt(value) if isinstance(value, str) else type(value).__name__


def _check_time(value: Any, path: str) -> Iterator[RefusalReason]:
    if parse_timestamp(value) is None:
        yield RefusalReason(path, "otep.validate.invalid_time")


def _check_offset(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, str) or not OFFSET.fullmatch(value):
        yield RefusalReason(path, "ingest.epcis_offset")


def _check_action(value: Any, path: str) -> Iterator[RefusalReason]:
    if value not in ACTIONS:
        yield RefusalReason(path, "ingest.epcis_action", {"allowed": ", ".join(ACTIONS)})


def _check_step(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, str) or not is_known_word(bare_word(value), BUSINESS_STEPS):
        yield RefusalReason(path, "ingest.epcis_word", {"value": printable_value(value)})


def _check_disposition(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, str) or not is_known_word(bare_word(value), DISPOSITIONS):
        yield RefusalReason(path, "ingest.epcis_word", {"value": printable_value(value)})


def _check_uri(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, str) or not is_uri(value):
        yield RefusalReason(path, "ingest.epcis_uri")


def _check_uris(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, list):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "array"})
    elif len(value) > EPCS_MAX:
        yield RefusalReason(path, "otep.validate.too_many", {"max": EPCS_MAX})
    else:
        wrong = (index for index, uri in enumerate(value) if not isinstance(uri, str) or not is_uri(uri))
        yield from (RefusalReason(f"{path}[{index}]", "ingest.epcis_uri") for index in islice(wrong, 1))


def _check_certificates(value: Any, path: str) -> Iterator[RefusalReason]:
    yield from _check_uris(value if isinstance(value, list) else [value], path)


def _check_place(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
    else:
        yield from _check_uri(value.get("id"), f"{path}.id")


def _check_quantities(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, list):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "array"})
        return
    for index, quantity in enumerate(value[:EPCS_MAX]):
        if not isinstance(quantity, dict) or "epcClass" not in quantity:
            yield RefusalReason(f"{path}[{index}].epcClass", "otep.validate.missing", {"field": "epcClass"})
        elif odd := next((name for name in quantity if name not in _QUANTITY and ":" not in name), None):
            yield RefusalReason(
                member_path(f"{path}[{index}]", odd), "ingest.epcis_field", {"field": printable_excerpt(odd)}
            )
        else:
            yield from _check_quantity(quantity, f"{path}[{index}]")


def _check_quantity(quantity: dict[str, Any], path: str) -> Iterator[RefusalReason]:
    yield from _check_uri(quantity["epcClass"], f"{path}.epcClass")
    amount, unit = quantity.get("quantity", 0), quantity.get("uom", "KGM")
    if not isinstance(amount, int | float) or isinstance(amount, bool):
        yield RefusalReason(f"{path}.quantity", "otep.validate.wrong_type", {"expected": "number"})
    if not isinstance(unit, str) or not _UNIT.fullmatch(unit):
        yield RefusalReason(f"{path}.uom", "ingest.epcis_unit")


def _entries_check(
    name: str, types: Collection[str], *, type_required: bool
) -> Callable[[Any, str], Iterator[RefusalReason]]:
    """Return the check for a list of objects with a URI under `name` and a `type`."""

    def check(value: Any, path: str) -> Iterator[RefusalReason]:
        if not isinstance(value, list):
            yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "array"})
            return
        for index, entry in enumerate(value[:EPCS_MAX]):
            where = f"{path}[{index}]"
            if not isinstance(entry, dict):
                yield RefusalReason(where, "otep.validate.wrong_type", {"expected": "object"})
                continue
            yield from _check_uri(entry.get(name), f"{where}.{name}")
            if type_required or "type" in entry:
                yield from _check_word_or_uri(entry.get("type"), f"{where}.type", types)

    return check


def _check_word_or_uri(value: Any, path: str, words: Collection[str]) -> Iterator[RefusalReason]:
    if not isinstance(value, str) or not (value in words or is_uri(value)):
        yield RefusalReason(path, "ingest.epcis_word", {"value": printable_value(value)})


def _check_persistent_disposition(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    named = {name: value[name] for name in ("set", "unset") if name in value}
    if not named:
        yield RefusalReason(f"{path}.set", "otep.validate.missing", {"field": "set"})
    for name, words in named.items():
        if not isinstance(words, list) or not words:
            yield RefusalReason(f"{path}.{name}", "otep.validate.wrong_type", {"expected": "array"})
            continue
        for index, word in enumerate(words[:EPCS_MAX]):
            yield from _check_disposition(word, f"{path}.{name}[{index}]")


def _check_items(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "array"})


def _check_master_data(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
    elif odd := next((name for name in value if ":" not in name), None):
        yield RefusalReason(member_path(path, odd), "ingest.epcis_field", {"field": printable_excerpt(odd)})


def _check_declaration(value: Any, path: str) -> Iterator[RefusalReason]:
    if not isinstance(value, dict):
        yield RefusalReason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    yield from _check_time(value.get("declarationTime"), f"{path}.declarationTime")
    if "reason" in value:
        yield from _check_word_or_uri(value["reason"], f"{path}.reason", _ERROR_REASONS)
    yield from _check_uris(value.get("correctiveEventIDs", []), f"{path}.correctiveEventIDs")


_FIELD_CHECKS = {
    "eventTime": _check_time,
    "recordTime": _check_time,
    "eventTimeZoneOffset": _check_offset,
    "action": _check_action,
    "bizStep": _check_step,
    "disposition": _check_disposition,
    "eventID": _check_uri,
    "parentID": _check_uri,
    "transformationID": _check_uri,
    "certificationInfo": _check_certificates,
    "readPoint": _check_place,
    "bizLocation": _check_place,
    "bizTransactionList": _entries_check("bizTransaction", _TRANSACTION_TYPES, type_required=False),
    "sourceList": _entries_check("source", _PARTY_TYPES, type_required=True),
    "destinationList": _entries_check("destination", _PARTY_TYPES, type_required=True),
    "persistentDisposition": _check_persistent_disposition,
    "sensorElementList": _check_items,
    "ilmd": _check_master_data,
    "errorDeclaration": _check_declaration,
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), _check_uris),
    **dict.fromkeys(
        ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"), _check_quantities
    ),
}
