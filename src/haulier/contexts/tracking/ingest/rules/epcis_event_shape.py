"""The shape of an EPCIS 2.0 event: the fields of each kind of event, which are required, and the form of each."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct

from haulier.contexts.otep.public import CORRECTION_REASONS, member_path, parse_timestamp, printable_excerpt
from haulier.contexts.tracking.ingest.rules.epcis_subjects import is_uri
from haulier.contexts.tracking.ingest.rules.epcis_vocabulary import (
    BUSINESS_STEPS,
    DISPOSITIONS,
    bare_word,
    is_known_word,
)
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason

ACTIONS = ("OBSERVE", "ADD", "DELETE")
EPCS_MAX = 1000
OFFSET = re.compile(r"[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00)")


class EpcisEventType(Struct, frozen=True):
    """A kind of event: its required fields, the fields with its subjects, and those with classes of goods."""

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
    """Everything that is wrong with an event under its usual names."""
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
    """What is wrong with the value of a field whose form the standard gives."""
    where = member_path(path, name)
    if value is None:
        return [RefusalReason(where, "otep.validate.null_value")]
    return _FIELD_CHECKS[name](value, where)


def printable_value(value: Any) -> str:
    """A value from outside as a message may show it: its text, or the name of its type."""
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
    """The check of a list of objects with a URI under `name` and a `type`: one of some words, or a URI."""

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
