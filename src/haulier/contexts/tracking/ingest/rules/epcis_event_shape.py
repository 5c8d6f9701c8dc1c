"""The shape of an EPCIS 2.0 event: the fields of each kind of event, which are required, and the form of each."""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct

from haulier.contexts.otep.public import member_path, parse_timestamp, printable_excerpt
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
        where = member_path(path, name)
        if value is None:
            yield RefusalReason(where, "otep.validate.null_value")
        elif check := _FIELD_CHECKS.get(name):
            yield from check(value, where)
        elif ":" not in name and name not in _FIELDS[event["type"]]:
            yield RefusalReason(where, "ingest.epcis_field", {"field": printable_excerpt(name)})


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
    "bizTransactionList": _check_items,
    "sensorElementList": _check_items,
    "ilmd": _check_master_data,
    "errorDeclaration": _check_declaration,
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), _check_uris),
    **dict.fromkeys(
        ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"), _check_quantities
    ),
}
