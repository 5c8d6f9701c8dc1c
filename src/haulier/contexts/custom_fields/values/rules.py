"""Rules of values: acceptance by account, storage and visibility.

A record stores its values as one document in two parts, `values` and `personal`, so that an erasure needs no
definition. A document without values is None.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.custom_fields.definitions.rules import FieldDefinition, FieldSet, value_faults
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.values.sort_keys import sort_key

MAX_VALUES_BYTES = 16_384
"""All values of a record, as JSON."""
MAX_GATHERED = 5_000
"""Maximum number of records gathered by a filter. If every filter matches more, the list is scanned in its own
order."""
AT = "custom_fields"
"""The field of requests and answers that holds values."""
_PLAIN, _PERSONAL = "values", "personal"
_FILTER = re.compile(r"([a-z][a-z0-9_]*)(:|>=|<=)(.*)", re.DOTALL)
Document = dict[str, dict[str, Any]]


class Accepted(Struct, frozen=True):
    """Document of a record after a write, or the errors in the given values."""

    document: Document | None
    faults: list[FieldError] = []


class CustomFieldFilter(Struct, frozen=True):
    """A filter by the keys of a field; `operator` is `:`, `>=` or `<=`."""

    field_id: int
    operator: str
    key: str


class FilterPlan(Struct, frozen=True):
    """Plan for finding records that match all filters.

    Gathered by a filter with few matches, if any, and checked by the others.
    """

    gathered: CustomFieldFilter | None = None
    looked_up: tuple[CustomFieldFilter, ...] = ()

    def __bool__(self) -> bool:
        return self.gathered is not None or bool(self.looked_up)


class FieldKey(Struct, frozen=True):
    """The key of one value of a record."""

    field_id: int
    key: str
    personal: bool


def stored_values(document: Document | None) -> dict[str, Any]:
    """The values of a record by name, those of archived fields too."""
    return {} if document is None else {**document.get(_PLAIN, {}), **document.get(_PERSONAL, {})}


def grouped_document(fields: FieldSet, values: Mapping[str, Any]) -> Document | None:
    """The document of some values, as the definitions of their fields say."""
    personal = {name: value for name, value in values.items() if _is_personal(fields, name)}
    plain = {name: value for name, value in values.items() if name not in personal}
    return {part: held for part, held in ((_PLAIN, plain), (_PERSONAL, personal)) if held} or None


def _is_personal(fields: FieldSet, name: str) -> bool:
    definition = fields.known.get(name)
    return definition is not None and definition.personal


def regrouped(definition: FieldDefinition, document: Document) -> Document | None:
    """The same values, with that of one field where its definition says now."""
    if definition.name not in stored_values(document):
        return document
    here, there = (_PERSONAL, _PLAIN) if definition.personal else (_PLAIN, _PERSONAL)
    other = {name: value for name, value in document.get(there, {}).items() if name != definition.name}
    held = {**document.get(here, {}), definition.name: stored_values(document)[definition.name]}
    return {part: values for part, values in ((here, held), (there, other)) if values}


def without_personal(document: Document | None) -> Document | None:
    """Return the rest of a document after an erasure."""
    plain = (document or {}).get(_PLAIN)
    return {_PLAIN: plain} if plain else None


def accept_new(fields: FieldSet, given: Mapping[str, Any], account: Account, at: str = AT) -> Accepted:
    """Return the values of a new record: given values and defaults.

    Null counts as omitted.
    """
    if not given and not fields.active:
        return Accepted(None)
    values = {name: value for name, value in given.items() if value is not None}
    faults = [*_write_faults(fields, values, account, at)]
    values = _with_defaults(fields, values)
    missing = (each.name for each in fields.active.values() if each.required and each.is_editable_by(account))
    faults += [FieldError(f"{at}.{name}", "field.missing") for name in missing if name not in values]
    return _accepted(fields, values, faults, at)


def accept_changes(
    fields: FieldSet, document: Document | None, given: Mapping[str, Any], account: Account, at: str = AT
) -> Accepted:
    """Return the values of a record after a change.

    Omitted fields are unchanged, even if they no longer fit; null clears a field.
    """
    written = {name: value for name, value in given.items() if value is not None}
    emptied = given.keys() - written.keys()
    faults = [*_write_faults(fields, written, account, at), *_right_faults(fields, emptied, account, at)]
    faults += [
        FieldError(f"{at}.{name}", "field.missing")
        for name in sorted(emptied)
        if name in fields.active and fields.active[name].required
    ]
    values = {name: value for name, value in stored_values(document).items() if name not in emptied} | written
    return _accepted(fields, values, faults, at)


def filter_valid(fields: FieldSet, values: Mapping[str, Any]) -> Document | None:
    """Return the document of values shared by another business.

    Only values that fit a field of this one.
    """
    known = {name: value for name, value in values.items() if name in fields.active}
    fitting = {name: value for name, value in known.items() if not value_faults(fields.schema, {name: value}, AT)}
    return grouped_document(fields, _with_defaults(fields, fitting))


def _with_defaults(fields: FieldSet, values: Mapping[str, Any]) -> dict[str, Any]:
    defaults = {each.name: each.default for each in fields.active.values() if each.default is not None}
    return {**defaults, **values}


def _accepted(fields: FieldSet, values: Mapping[str, Any], faults: list[FieldError], at: str) -> Accepted:
    if not faults and len(msgspec.json.encode(values)) > MAX_VALUES_BYTES:
        faults = [FieldError(at, "field.values_too_large", {"most": MAX_VALUES_BYTES})]
    return Accepted(None, faults) if faults else Accepted(grouped_document(fields, values))


def _write_faults(fields: FieldSet, values: Mapping[str, Any], account: Account, at: str) -> Iterator[FieldError]:
    refused = [*_right_faults(fields, values.keys(), account, at)]
    yield from refused
    paths = {fault.field for fault in refused}
    judged = {name: value for name, value in values.items() if f"{at}.{name}" not in paths}
    if judged:
        yield from value_faults(fields.schema, judged, at)


def _right_faults(fields: FieldSet, names: Collection[str], account: Account, at: str) -> Iterator[FieldError]:
    """Yield errors for unknown fields, and for fields the caller may not write.

    Invisible fields count as unknown.
    """
    for name in names:
        definition = fields.active.get(name)
        if definition is None or not definition.is_visible_to(account):
            yield FieldError(f"{at}.{name}", "field.custom_unknown")
        elif not definition.is_editable_by(account):
            yield FieldError(f"{at}.{name}", "field.custom_not_editable")


def visible_values(fields: FieldSet, document: Document | None, account: Account) -> dict[str, Any]:
    """The values that an account sees, in the order of the definitions."""
    values = stored_values(document)
    return {
        name: values[name] for name, each in fields.active.items() if name in values and each.is_visible_to(account)
    }


def shared_values(fields: FieldSet, document: Document | None) -> dict[str, Any]:
    """The values that a partner sees who takes the record."""
    values = stored_values(document)
    return {name: values[name] for name, each in fields.active.items() if name in values and each.shared_with_partners}


def differing_names(given: Mapping[str, Any], stored: Mapping[str, Any]) -> list[str]:
    """Return the fields whose given values differ from the record.

    Omitted fields do not differ, because they may have defaults.
    """
    return [name for name, value in given.items() if value != stored.get(name)]


def field_key(definition: FieldDefinition, document: Document | None) -> FieldKey | None:
    """Return the key of a record for one field.

    None without a value, or for an earlier value of another type.
    """
    value = stored_values(document).get(definition.name)
    key = None if value is None else sort_key(definition.value_schema, value)
    return None if key is None else FieldKey(definition.id, key, definition.personal)


def field_keys(fields: FieldSet, document: Document | None) -> list[FieldKey]:
    """The keys by which a record is found."""
    if document is None:
        return []
    return [key for each in fields.filterable if (key := field_key(each, document))]


def read_filters(
    fields: FieldSet, filters: Sequence[str], account: Account
) -> tuple[list[CustomFieldFilter], list[FieldError]]:
    """The filters of a list, and what is wrong with them."""
    visible = {each.name: each for each in fields.filterable if each.is_visible_to(account)}
    read = [_read_filter(visible, text, f"{AT}.{index}") for index, text in enumerate(filters)]
    return [each for each in read if isinstance(each, CustomFieldFilter)], [
        each for each in read if isinstance(each, FieldError)
    ]


def _read_filter(visible: Mapping[str, FieldDefinition], text: str, at: str) -> CustomFieldFilter | FieldError:
    matched = _FILTER.fullmatch(text)
    if matched is None:
        return FieldError(at, "field.custom_filter")
    name, operator, value = matched.groups()
    definition = visible.get(name)
    if definition is None:
        return FieldError(at, "field.not_indexed", {"name": name, "known": ", ".join(visible) or "-"})
    if definition.indexing:
        return FieldError(at, "field.custom_indexing", {"name": name})
    key = sort_key(definition.value_schema, _read_value(definition, value))
    if key is None:
        return FieldError(at, "field.filter_value", {"name": name})
    return CustomFieldFilter(definition.id, operator, key)


def _read_value(definition: FieldDefinition, text: str) -> Any:
    """Return a value as written in a filter. A value of another type has no key."""
    if definition.value_schema["type"] == "string":
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def plan_filters(filters: Sequence[CustomFieldFilter], counts: Sequence[int]) -> FilterPlan:
    """Return the plan for filters with these counts.

    Counts go up to `MAX_GATHERED` + 1.
    """
    if not filters:
        return FilterPlan()
    rarest = min(range(len(filters)), key=counts.__getitem__)
    if counts[rarest] > MAX_GATHERED:
        return FilterPlan(None, tuple(filters))
    return FilterPlan(filters[rarest], (*filters[:rarest], *filters[rarest + 1 :]))
