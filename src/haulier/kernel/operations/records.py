"""Answers from rows, and rows from requests: what has the same name on both sides is copied, and nothing is left out silently.

A new field then needs its contract, its column and its migration, and no third list in between.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct, structs
from pydantic import BaseModel
from sqlalchemy import Table

from haulier.kernel.data.tables import CLIENT_ID

A = TypeVar("A", bound=Struct)
NEVER_COPIED = frozenset({"id", CLIENT_ID})
"""The database numbers a new row, and the tenant filter adds its client."""


def record(answer: type[A], row: Any, /, *, without: Collection[str] = (), **computed: Any) -> A:
    """A record of a type of answer, from a row: equal names are copied, `computed` holds the others and wins.

    A field with a default is copied too when the row has its name. Where only some callers may see such a field, name it
    in `without` for the others: it then keeps its default, which is `UNSET` for a field that may be absent.

    Raises `TypeError` for a required field that the row does not have and nobody computed, for a computed value that is no
    field, and for a name in `without` that is no field, is required or is computed.
    """
    names, values = _copied(answer, type(row), frozenset(computed), frozenset(without))
    return answer(**dict(zip(names, values(row), strict=True)), **computed)


@cache
def _copied(
    answer: type[Struct], row: type[Any], computed: frozenset[str], without: frozenset[str]
) -> tuple[tuple[str, ...], Callable[[Any], Iterable[Any]]]:
    """The names that are copied, and what reads them all from a row."""
    names = _copied_names(answer, row, computed, without)
    # Why two: of one name, attrgetter gives the value and not a tuple of it.
    return names, attrgetter(*names) if len(names) > 1 else lambda row: [getattr(row, name) for name in names]


def _copied_names(
    answer: type[Struct], row: type[Any], computed: frozenset[str], without: frozenset[str]
) -> tuple[str, ...]:
    fields = {field.name: field for field in structs.fields(answer)}
    columns = _column_names(row)
    if unknown := sorted((computed | without) - fields.keys()):
        raise TypeError(f"{answer.__name__} has no field {', '.join(unknown)}")
    if kept := sorted(name for name in without if fields[name].required or name in computed):
        raise TypeError(f"{answer.__name__} cannot be without {', '.join(kept)}")
    copyable = [field for name, field in fields.items() if name not in computed | without]
    if missing := [field.name for field in copyable if field.required and field.name not in columns]:
        raise TypeError(f"{answer.__name__}: the row has no {', '.join(missing)}, and nobody computed it")
    return tuple(field.name for field in copyable if field.name in columns)


def _column_names(row: type[Any]) -> frozenset[str]:
    """The names of what a row holds: a row of a statement, a record, a request, or a plain object with annotations."""
    if issubclass(row, BaseModel):
        return frozenset(row.model_fields)
    names = getattr(row, "_fields", None) or getattr(row, "__struct_fields__", None)
    return frozenset(names if names is not None else row.__annotations__)


def columns(table: Table, request: BaseModel | Mapping[str, Any], /, **computed: Any) -> dict[str, Any]:
    """The values of a new row of a table: from a request what has the name of a column, and what was `computed`, which wins.

    `id` and `client_id` are taken from `computed` only. A request may use these names for something else: the `client_id`
    of an OAuth request is the application that asks, not the tenant.

    Raises `TypeError` for a computed value that is no column, and for a column that must have a value and got none.
    """
    document = request if isinstance(request, Mapping) else request.model_dump()
    named, needed = _column_rules(table)
    values = {name: value for name, value in document.items() if name in named and name not in NEVER_COPIED} | computed
    if not values.keys() <= named:
        raise TypeError(f"{table.name} has no column {', '.join(sorted(values.keys() - named))}")
    if not needed <= values.keys():
        raise TypeError(f"{table.name}: no value for {', '.join(sorted(needed - values.keys()))}")
    return values


@cache
def _column_rules(table: Table) -> tuple[frozenset[str], frozenset[str]]:
    """The names of a table's columns, and of those that must be given a value."""
    needed = {column.name for column in table.c if not column.nullable and column.default is None}
    return frozenset(table.c.keys()), frozenset(needed) - NEVER_COPIED
