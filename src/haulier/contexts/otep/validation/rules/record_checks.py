"""Checks of lists and records, built from checks of what they hold."""

from collections.abc import Collection, Iterator, Mapping
from inspect import cleandoc
from itertools import islice
from typing import Any

from haulier.contexts.otep.timeline.contract import OtepRecord
from haulier.contexts.otep.validation.rules.findings import Finding, make_finding, member_path, printable_excerpt
from haulier.contexts.otep.validation.rules.value_checks import JsonSchema, ValueCheck

MEMBERS_MAX = 1000
"""Members of a record that are checked."""
# Why: the cost of a document from outside must have a limit.


def list_check(check: ValueCheck, longest: int) -> ValueCheck:
    """A list whose items all pass a check. Items beyond `longest` are not checked."""

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, list):
            yield make_finding(path, "wrong_type", expected="array")
            return
        if len(value) > longest:
            yield make_finding(path, "too_many", max=longest)
        for index, item in enumerate(value[:longest]):
            yield from _check_present(check, item, f"{path}[{index}]")

    return ValueCheck(find, {"type": "array", "maxItems": longest, "items": check.schema}, check.records)


def record_check(
    kind: type[OtepRecord], fields: Mapping[str, ValueCheck], required: Collection[str] = ()
) -> ValueCheck:
    """An object with the fields of a record. Other fields are warnings, as the sender may use a newer version.

    Raises `ValueError`, at import, where the fields are not those of the record.
    """
    if differing := set(fields) ^ set(kind.__struct_fields__):
        raise ValueError(f"checks of other fields than {kind.__name__} has: {differing}")

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, dict):
            yield make_finding(path, "wrong_type", expected="object")
            return
        if len(value) > MEMBERS_MAX:
            yield make_finding(path, "too_many", max=MEMBERS_MAX)
        for name in required:
            if name not in value:
                yield make_finding(member_path(path, name), "missing", field=name)
        for name, inner in islice(value.items(), MEMBERS_MAX):
            if check := fields.get(name):
                yield from _check_present(check, inner, member_path(path, name))
            else:
                yield make_finding(member_path(path, name), "unknown_field", field=printable_excerpt(name))

    name = kind.__name__
    inner = {name: schema for check in fields.values() for name, schema in check.records.items()}
    return ValueCheck(find, {"$ref": f"#/$defs/{name}"}, {**inner, name: _record_schema(kind, fields, required)})


def _record_schema(kind: type[OtepRecord], fields: Mapping[str, ValueCheck], required: Collection[str]) -> JsonSchema:
    described: JsonSchema = {"type": "object", "description": cleandoc(kind.__doc__ or "")}
    if required:
        described["required"] = list(required)
    return {**described, "properties": {name: check.schema for name, check in fields.items()}}


def _check_present(check: ValueCheck, value: Any, path: str) -> Iterator[Finding]:
    if value is None:
        return iter((make_finding(path, "null_value"),))
    return check(value, path)
