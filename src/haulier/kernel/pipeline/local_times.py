"""Conversion of an answer's moments to the time zone of the caller's business.

Only typed records are converted. Embedded documents (timelines, stored messages, previews) keep their offsets.
"""

from datetime import datetime
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

from msgspec.structs import force_setattr

from haulier.kernel.operations.answers import Answer


def to_local_times(value: Any, zone: ZoneInfo) -> Any:
    """Return the value with its moments in a zone.

    Changes records in place; lists are copied.
    """
    if isinstance(value, datetime):
        return value.astimezone(zone)
    if isinstance(value, Answer):
        for name in _members_with_moments(type(value)):
            member = getattr(value, name)
            if member is not None:
                force_setattr(value, name, to_local_times(member, zone))
    elif isinstance(value, list | tuple):
        return type(value)(to_local_times(each, zone) for each in value)
    elif isinstance(value, dict):
        return {name: to_local_times(each, zone) for name, each in value.items()}
    return value


@lru_cache(maxsize=4096)
def _members_with_moments(kind: type[Answer]) -> tuple[str, ...]:
    """Return the members that are moments or may hold records with moments.

    Records may nest, not recurse.
    """
    return tuple(name for name, hint in get_type_hints(kind).items() if _may_hold_moments(hint))


def _may_hold_moments(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, Answer):
        # A member may hold a subclass that has more moments.
        return bool(_members_with_moments(hint)) or any(map(_may_hold_moments, hint.__subclasses__()))
    if get_origin(hint) in (Union, UnionType, list, tuple, dict, Annotated):
        return any(map(_may_hold_moments, get_args(hint)))
    return hint is datetime
