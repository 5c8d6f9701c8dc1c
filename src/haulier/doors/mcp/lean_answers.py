"""Answers without their nulls: a host pays for each of them, and what is not there says the same."""

from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from msgspec import UNSET, Struct
from msgspec.structs import astuple

from haulier.doors.mcp.lean_changes import is_record_change, lean_changes

NoneType = type(None)


class _Members(NamedTuple):
    """The names of the members of a type of record as they are written, and of those in which there may be nulls."""

    names: tuple[str, ...]
    nested: tuple[str, ...]


def without_nulls(answer: Any, *, full_detail: bool = False) -> Any:
    """A record as plain members without those that are null, at every depth. Documents that an answer carries stay whole.

    A document that was not made of our records (a schema, a timeline of another standard, the result of a query) may mean
    something by a null. Changed records are told in few words, save in full detail.
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
        return lean_changes(value)
    return [_value_without_nulls(each, full_detail=full_detail) for each in value]


def _members_without_nulls(record: Struct, *, full_detail: bool) -> dict[str, Any]:
    members = _members(type(record))
    named = zip(members.names, astuple(record), strict=True)
    values = {name: value for name, value in named if value is not None and value is not UNSET}
    for name in members.nested:
        if name in values:
            values[name] = _value_without_nulls(values[name], full_detail=full_detail)
    return values


@lru_cache(maxsize=4096)
def _members(kind: type[Struct]) -> _Members:
    hints = get_type_hints(kind)
    named = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    nested = tuple(shown for name, shown in named if _is_nested(hints[name]))
    return _Members(kind.__struct_encode_fields__, nested)


@lru_cache(maxsize=4096)
def _may_hold_nulls(kind: type[Struct]) -> bool:
    """Whether a record must be taken apart. One whose defaults are left out or that tells its type is, for it always was."""
    config = kind.__struct_config__
    if config.omit_defaults or config.tag is not None:
        return True
    return any(_is_nullable(hint) or _is_nested(hint) for hint in get_type_hints(kind).values())


def _is_nullable(hint: Any) -> bool:
    return hint is NoneType or (
        get_origin(hint) in (Union, UnionType, Annotated) and any(map(_is_nullable, get_args(hint)))
    )


def _is_nested(hint: Any, *, listed: bool = False) -> bool:
    """Whether a value may hold nulls of ours within: in records, or in lists of what may be changed records."""
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _may_hold_nulls(hint) or any(map(_is_nested, hint.__subclasses__()))
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (list, tuple):
        return any(_is_nested(part, listed=True) for part in parts)
    if origin in (Union, UnionType, Annotated):
        return any(_is_nested(part, listed=listed) for part in parts)
    return hint in (Any, object, list, tuple) or (listed and (origin or hint) is dict)
