"""The shape of an EPCIS 2.0 event: which fields a kind of event has, which it must have, and what each must look like."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.inbound.rules.epcis_subjects import is_uri
from haulier.contexts.tracking.inbound.rules.epcis_words import DISPOSITIONS, STEPS, bare, known
from haulier.contexts.tracking.inbound.rules.told import Reason
from haulier.contexts.tracking.otep.rules.checks import read_time
from haulier.contexts.tracking.otep.rules.findings import member, shown

ACTIONS = ("OBSERVE", "ADD", "DELETE")
EPCS_MAX = 1000
OFFSET = re.compile(r"[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00)")


class Kind(Struct, frozen=True):
    """A kind of event: what it must have, where its subjects are named, and where classes of goods are."""

    required: tuple[str, ...]
    subjects: tuple[str, ...]
    classes: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "ObjectEvent": Kind(("action",), ("epcList",), ("quantityList",)),
    "AggregationEvent": Kind(("action",), ("childEPCs", "parentID"), ("childQuantityList",)),
    "AssociationEvent": Kind(("action", "parentID"), ("childEPCs", "parentID"), ("childQuantityList",)),
    "TransactionEvent": Kind(("action", "bizTransactionList"), ("epcList", "parentID"), ("quantityList",)),
    "TransformationEvent": Kind((), ("outputEPCList", "inputEPCList"), ("inputQuantityList", "outputQuantityList")),
}
"""`subjects` are in order: the first that names anything says whose event it is."""

_EVERY = (
    "@context type eventTime eventTimeZoneOffset recordTime eventID errorDeclaration certificationInfo bizStep disposition "
    "readPoint bizLocation bizTransactionList sourceList destinationList sensorElementList persistentDisposition ilmd"
)
_FIELDS = {
    name: frozenset((*_EVERY.split(), *kind.required, *kind.subjects, *kind.classes, *more))
    for name, kind in KINDS.items()
    for more in [("transformationID",) if name == "TransformationEvent" else ()]
}
_QUANTITY = {"epcClass", "quantity", "uom"}


def faults(event: Any, path: str) -> Iterator[Reason]:
    """Everything that is wrong with an event under its usual names."""
    if not isinstance(event, dict):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    name = event.get("type")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        yield Reason(f"{path}.type", "ingest.epcis_kind", {"allowed": ", ".join(KINDS)})
        return
    for name in ("eventTime", "eventTimeZoneOffset", *kind.required):
        if name not in event:
            yield Reason(f"{path}.{name}", "otep.validate.missing", {"field": name})
    for name, value in event.items():
        where = member(path, name)
        if value is None:
            yield Reason(where, "otep.validate.null_value")
        elif check := _CHECKS.get(name):
            yield from check(value, where)
        elif ":" not in name and name not in _FIELDS[event["type"]]:
            yield Reason(where, "ingest.epcis_field", {"field": shown(name)})


def told(value: Any) -> str:
    """A value of a stranger as a message may show it: its text, or what it is instead of one."""
    return shown(value) if isinstance(value, str) else type(value).__name__


def _time(value: Any, path: str) -> Iterator[Reason]:
    if read_time(value) is None:
        yield Reason(path, "otep.validate.invalid_time")


def _offset(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, str) or not OFFSET.fullmatch(value):
        yield Reason(path, "ingest.epcis_offset")


def _action(value: Any, path: str) -> Iterator[Reason]:
    if value not in ACTIONS:
        yield Reason(path, "ingest.epcis_action", {"allowed": ", ".join(ACTIONS)})


def _step(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, str) or not known(bare(value), STEPS):
        yield Reason(path, "ingest.epcis_word", {"value": told(value)})


def _disposition(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, str) or not known(bare(value), DISPOSITIONS):
        yield Reason(path, "ingest.epcis_word", {"value": told(value)})


def _uri(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, str) or not is_uri(value):
        yield Reason(path, "ingest.epcis_uri")


def _uris(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, list):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "array"})
    elif len(value) > EPCS_MAX:
        yield Reason(path, "otep.validate.too_many", {"max": EPCS_MAX})
    elif wrong := next((at for at, each in enumerate(value) if not isinstance(each, str) or not is_uri(each)), None):
        yield Reason(f"{path}[{wrong}]", "ingest.epcis_uri")
    elif value and (not isinstance(value[0], str) or not is_uri(value[0])):
        yield Reason(f"{path}[0]", "ingest.epcis_uri")


def _certificates(value: Any, path: str) -> Iterator[Reason]:
    yield from _uris(value if isinstance(value, list) else [value], path)


def _place(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, dict):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "object"})
    else:
        yield from _uri(value.get("id"), f"{path}.id")


def _quantities(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, list):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "array"})
        return
    for at, each in enumerate(value[:EPCS_MAX]):
        if not isinstance(each, dict) or "epcClass" not in each:
            yield Reason(f"{path}[{at}].epcClass", "otep.validate.missing", {"field": "epcClass"})
        elif odd := next((name for name in each if name not in _QUANTITY and ":" not in name), None):
            yield Reason(member(f"{path}[{at}]", odd), "ingest.epcis_field", {"field": shown(odd)})


def _items(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "array"})


def _master_data(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, dict):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "object"})
    elif odd := next((name for name in value if ":" not in name), None):
        yield Reason(member(path, odd), "ingest.epcis_field", {"field": shown(odd)})


def _declaration(value: Any, path: str) -> Iterator[Reason]:
    if not isinstance(value, dict):
        yield Reason(path, "otep.validate.wrong_type", {"expected": "object"})
        return
    yield from _time(value.get("declarationTime"), f"{path}.declarationTime")
    yield from _uris(value.get("correctiveEventIDs", []), f"{path}.correctiveEventIDs")


_CHECKS = {
    "eventTime": _time,
    "recordTime": _time,
    "eventTimeZoneOffset": _offset,
    "action": _action,
    "bizStep": _step,
    "disposition": _disposition,
    "eventID": _uri,
    "parentID": _uri,
    "transformationID": _uri,
    "certificationInfo": _certificates,
    "readPoint": _place,
    "bizLocation": _place,
    "bizTransactionList": _items,
    "sensorElementList": _items,
    "ilmd": _master_data,
    "errorDeclaration": _declaration,
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), _uris),
    **dict.fromkeys(("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"), _quantities),
}
