"""Hints for unknown names: the most similar name, or a list of the existing ones."""

from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from haulier.kernel.operations.errors import FieldError

MAX_LISTED_NAMES = 30
_LIKENESS = 0.7
_HIDDEN: Any = SkipJsonSchema
_LONGEST_COMPARED = 60
"""Longer names are not typos, and comparing them is slow."""


def unknown_field(kind: type[BaseModel], place: Sequence[str | int]) -> FieldError:
    """Return the error for an unknown field, with a hint about its siblings."""
    return _unknown_name(".".join(map(str, place)), str(place[-1]), _names_beside(kind, place[:-1]), "")


def unknown_parameter(name: str, known: Collection[str]) -> FieldError:
    """Return the error for an unknown query parameter."""
    return _unknown_name(name, name, known, "query.")


def _unknown_name(place: str, name: str, known: Collection[str], where: str) -> FieldError:
    by_look = {_fold_name(each): each for each in known}
    near = get_close_matches(_fold_name(name), by_look, n=1, cutoff=_LIKENESS) if len(name) <= _LONGEST_COMPARED else []
    if near:
        return FieldError(place, f"field.{where}near.extra_forbidden", {"near": by_look[near[0]]})
    if 0 < len(known) <= MAX_LISTED_NAMES:
        return FieldError(place, f"field.{where}known.extra_forbidden", {"known": ", ".join(sorted(known))})
    return FieldError(place, f"field.{where}extra_forbidden")


def _fold_name(name: str) -> str:
    """Normalize a name: `orderRef`, `order-ref` and `order_ref` become equal."""
    return name.replace("_", "").replace("-", "").lower()


@lru_cache(maxsize=4096)
def shown_names(kind: type[BaseModel]) -> frozenset[str]:
    """Return the fields that callers may send."""
    return frozenset(
        field.alias or name
        for name, field in kind.model_fields.items()
        if not any(isinstance(each, _HIDDEN) for each in field.metadata)
    )


def _names_beside(kind: type[BaseModel], place: Sequence[str | int]) -> frozenset[str]:
    """Return the field names of the record at a place.

    Empty if its type is ambiguous or unknown.
    """
    for part in place:
        if isinstance(part, int):
            continue
        field = _field_of(kind, part)
        records = set(_records_in(field.annotation)) if field else set[type[BaseModel]]()
        if len(records) != 1:
            return frozenset()
        (kind,) = records
    return shown_names(kind)


def _field_of(kind: type[BaseModel], name: str) -> FieldInfo | None:
    by_alias = (field for field in kind.model_fields.values() if field.alias == name)
    return kind.model_fields.get(name) or next(by_alias, None)


def _records_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _records_in(part)
