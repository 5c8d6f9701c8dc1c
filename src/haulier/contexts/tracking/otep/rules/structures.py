"""Checks of lists and records, built from checks of what they hold."""

from collections.abc import Collection, Iterator, Mapping
from inspect import cleandoc
from itertools import islice
from typing import Any

from haulier.contexts.tracking.otep.model import Record
from haulier.contexts.tracking.otep.rules.checks import Check, Schema
from haulier.contexts.tracking.otep.rules.findings import Finding, found, member, shown

MEMBERS_MAX = 1000
"""No more members of a record are looked at: a stranger's document must not cost more than it can tell."""


def listed(check: Check, longest: int) -> Check:
    """A list whose items all pass a check. Items beyond the longest are not looked at."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, list):
            yield found(path, "wrong_type", expected="array")
            return
        if len(value) > longest:
            yield found(path, "too_many", max=longest)
        for index, item in enumerate(value[:longest]):
            yield from _present(check, item, f"{path}[{index}]")

    return Check(find, {"type": "array", "maxItems": longest, "items": check.schema}, check.records)


def record(kind: type[Record], fields: Mapping[str, Check], required: Collection[str] = ()) -> Check:
    """An object with the fields of a record. Others are warned of: the sender may know more than we do.

    Raises `ValueError`, at import, where the fields are not those of the record.
    """
    if differing := set(fields) ^ set(kind.__struct_fields__):
        raise ValueError(f"checks of other fields than {kind.__name__} has: {differing}")

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, dict):
            yield found(path, "wrong_type", expected="object")
            return
        if len(value) > MEMBERS_MAX:
            yield found(path, "too_many", max=MEMBERS_MAX)
        for name in required:
            if name not in value:
                yield found(member(path, name), "missing", field=name)
        for name, inner in islice(value.items(), MEMBERS_MAX):
            if check := fields.get(name):
                yield from _present(check, inner, member(path, name))
            else:
                yield found(member(path, name), "unknown_field", field=shown(name))

    name = kind.__name__
    inner = {name: schema for check in fields.values() for name, schema in check.records.items()}
    return Check(find, {"$ref": f"#/$defs/{name}"}, {**inner, name: _schema(kind, fields, required)})


def _schema(kind: type[Record], fields: Mapping[str, Check], required: Collection[str]) -> Schema:
    described: Schema = {"type": "object", "description": cleandoc(kind.__doc__ or "")}
    if required:
        described["required"] = list(required)
    return {**described, "properties": {name: check.schema for name, check in fields.items()}}


def _present(check: Check, value: Any, path: str) -> Iterator[Finding]:
    if value is None:
        return iter((found(path, "null_value"),))
    return check(value, path)
