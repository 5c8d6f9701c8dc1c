"""Conversion of rows to answers and of requests to rows by field name.

Missing fields raise an error, so a new field needs only its contract, column and migration.
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
"""The database assigns the id, and the tenant filter adds the client."""


def record(answer: type[A], row: Any, /, *, without: Collection[str] = (), **computed: Any) -> A:
    """Return an answer record from a row and `computed` values.

    Fields with the same name are copied from the row.

    `computed` takes precedence. A field with a default is copied if the row has it. To hide such a field from some
    callers, name it in `without`: it then keeps its default, which is `UNSET` for an optional field.

    Raises `TypeError` for a required field without a value, for an unknown computed field, and for a name in
    `without` that is unknown, required or computed.
    """
    names, values = _copied(answer, type(row), frozenset(computed), frozenset(without))
    return answer(**dict(zip(names, values(row), strict=True)), **computed)


@cache
def _copied(
    answer: type[Struct], row: type[Any], computed: frozenset[str], without: frozenset[str]
) -> tuple[tuple[str, ...], Callable[[Any], Iterable[Any]]]:
    """Return the names to copy and a function that reads their values from a row."""
    names = _copied_names(answer, row, computed, without)
    # For a single name, attrgetter returns the value and not a tuple.
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
        raise TypeError(f"{answer.__name__}: the row has no {', '.join(missing)}, and it is not computed")
    return tuple(field.name for field in copyable if field.name in columns)


def _column_names(row: type[Any]) -> frozenset[str]:
    """Return the field names of a row, record, request or annotated object."""
    if issubclass(row, BaseModel):
        return frozenset(row.model_fields)
    names = getattr(row, "_fields", None) or getattr(row, "__struct_fields__", None)
    return frozenset(names if names is not None else row.__annotations__)


def columns(table: Table, request: BaseModel | Mapping[str, Any], /, **computed: Any) -> dict[str, Any]:
    """Return the values of a new row from a request and `computed` values.

    Request fields are copied to the columns with the same name.

    `computed` takes precedence and is the only source of `id` and `client_id`, because a request may use these names
    differently: the `client_id` of an OAuth request is the requesting application, not the tenant.

    Raises `TypeError` for an unknown computed column and for a required column without a value.
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
    """Return a table's column names and its required columns."""
    needed = {column.name for column in table.c if not column.nullable and column.default is None}
    return frozenset(table.c.keys()), frozenset(needed) - NEVER_COPIED
