"""Answers for agents without nulls and unneeded members.

Agents pay for each member. `for_agents` declares members that are returned only in full detail or if not empty.
`brief_for_agents` limits a record that the caller has just written to the members that are new to them.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import UNSET, Meta, Struct
from msgspec.structs import astuple

from haulier.api.mcp.compact_changes import compact_changes, is_record_change
from haulier.kernel.operations.answers import AGENTS_GET, AGENTS_SEE

NoneType = type(None)


class _Members(NamedTuple):
    """Member names of a record type for agents.

    `nested` can contain nulls, `detail` needs full detail, and `filled` is omitted if empty. `brief` has the visible
    members of nested records.
    """

    names: tuple[str, ...]
    nested: tuple[str, ...]
    detail: tuple[str, ...]
    filled: tuple[str, ...]
    brief: Mapping[str, frozenset[str]]


def without_nulls(answer: Any, *, full_detail: bool = False) -> Any:
    """Return a record as a dict without nulls, at every depth.

    Documents with a format of their own (schemas, timelines of other standards, query results) are unchanged, because
    their nulls may have a meaning. Record changes are compact unless `full_detail` is set.
    """
    if isinstance(answer, Struct):
        return _members_without_nulls(answer, full_detail=full_detail)
    return _value_without_nulls(answer, full_detail=full_detail)


def _value_without_nulls(value: Any, *, full_detail: bool) -> Any:
    if isinstance(value, Struct):
        return _members_without_nulls(value, full_detail=full_detail) if _may_hold_nulls(type(value)) else value
    if not isinstance(value, list | tuple):
        return value
    if value and not full_detail and all(map(is_record_change, value)):
        return compact_changes(value)
    return [_value_without_nulls(each, full_detail=full_detail) for each in value]


def _members_without_nulls(record: Struct, *, full_detail: bool) -> dict[str, Any]:
    members = _members(type(record))
    named = zip(members.names, astuple(record), strict=True)
    values = {name: value for name, value in named if value is not None and value is not UNSET}
    if not full_detail:
        for name in members.detail:
            values.pop(name, None)
        for name in members.filled:
            if not values.get(name, True):
                del values[name]
    for name in members.nested:
        if name in values:
            values[name] = _value_without_nulls(values[name], full_detail=full_detail)
    if not full_detail:
        for name in members.brief.keys() & values.keys():
            values[name] = _only(members.brief[name], values[name])
    return values


def _only(members: frozenset[str], told: Any) -> Any:
    """Return only these members of a record, or of each record in a list."""
    if isinstance(told, Struct):
        named = zip(type(told).__struct_encode_fields__, astuple(told), strict=True)
        return {name: value for name, value in named if name in members and value is not UNSET}
    if isinstance(told, dict):
        return {name: value for name, value in told.items() if name in members}
    return [_only(members, each) for each in told] if isinstance(told, list) else told


@lru_cache(maxsize=4096)
def _members(kind: type[Struct]) -> _Members:
    hints = get_type_hints(kind)
    named = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    brief = _brief(kind)
    nested = tuple(shown for name, shown in named if shown in brief or _is_nested(hints[name]))
    return _Members(kind.__struct_encode_fields__, nested, _marked(kind, "detail"), _marked(kind, "filled"), brief)


@lru_cache(maxsize=8192)
def _marked(kind: type[Struct], when: str | None = None) -> tuple[str, ...]:
    """Return the marked members by wire name; without `when`, all marked members."""
    hints = get_type_hints(kind, include_extras=True)
    named = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    said = {shown: mark for name, shown in named if (mark := _mark(hints[name], AGENTS_GET)) is not None}
    return tuple(shown for shown, mark in said.items() if when in (None, mark))


@lru_cache(maxsize=4096)
def _brief(kind: type[Struct]) -> dict[str, frozenset[str]]:
    """Return the visible members of nested records, by member."""
    hints = get_type_hints(kind, include_extras=True)
    named = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    return {shown: frozenset(told) for name, shown in named if (told := _mark(hints[name], AGENTS_SEE)) is not None}


@lru_cache(maxsize=1024)
def omitted_members(kind: type[Struct]) -> dict[str, frozenset[str]]:
    """Return the members that may be omitted for agents, by record name.

    Covers the answer type and all records within it.
    """
    found: dict[str, frozenset[str]] = {}
    briefly: dict[str, frozenset[str]] = {}
    waiting: list[Any] = [kind]
    while waiting:
        hint = waiting.pop()
        if isinstance(hint, type) and issubclass(hint, Struct):
            if hint.__name__ not in found:
                found[hint.__name__] = frozenset(_marked(hint))
                hints = get_type_hints(hint)
                for name, told in _brief(hint).items():
                    briefly |= {
                        each.__name__: frozenset(each.__struct_encode_fields__) - told for each in _records(hints[name])
                    }
                waiting += [*hints.values(), *hint.__subclasses__()]
        else:
            waiting += get_args(hint)
    found = {name: members | briefly.get(name, frozenset()) for name, members in found.items()}
    return {name: members for name, members in found.items() if members}


def _records(hint: Any) -> list[type[Struct]]:
    """Return the record types in a hint, directly or in its list."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        return [hint]
    return [kind for part in get_args(hint) for kind in _records(part)]


def _mark(hint: Any, key: str) -> Any:
    for meta in getattr(hint, "__metadata__", ()):
        if isinstance(meta, Meta) and meta.extra and key in meta.extra:
            return meta.extra[key]
    return None


@lru_cache(maxsize=4096)
def _may_hold_nulls(kind: type[Struct]) -> bool:
    """Return True if records of this type must be converted to a dict.

    Also applies to types with omitted defaults or a type tag, to keep their output unchanged.
    """
    config = kind.__struct_config__
    if config.omit_defaults or config.tag is not None or _marked(kind) or _brief(kind):
        return True
    return any(_is_nullable(hint) or _is_nested(hint) for hint in get_type_hints(kind).values())


def _is_nullable(hint: Any) -> bool:
    return hint is NoneType or (
        get_origin(hint) in (Union, UnionType, Annotated) and any(map(_is_nullable, get_args(hint)))
    )


def _is_nested(hint: Any, *, listed: bool = False) -> bool:
    """Return True if a value can contain nulls of our records or record changes."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _may_hold_nulls(hint) or any(map(_is_nested, hint.__subclasses__()))
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (list, tuple):
        return any(_is_nested(part, listed=True) for part in parts)
    if origin in (Union, UnionType, Annotated):
        return any(_is_nested(part, listed=listed) for part in parts)
    return hint in (Any, object, list, tuple) or (listed and (origin or hint) is dict)
