"""What a search asks for, as the columns of records hold it."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.datasets.records.contract import FieldFilter, SearchDatasetRecords
from haulier.contexts.datasets.records.rules.shapes import Shape
from haulier.kernel.operations.errors import FieldError

BOUNDS = {"equals": "equals", "at_least": "least", "at_most": "most", "begins_with": "begins_with"}
"""The fields of a filter that hold one value, and what the search calls them."""


def filter_fields(shape: Shape, wanted: FieldFilter) -> dict[str, Any]:
    """A filter by what the search calls its parts. The filter has no faults."""
    found: dict[str, Any] = {"column": shape.column_of(wanted.field), "present": wanted.present}
    for name, part in BOUNDS.items():
        value = getattr(wanted, name)
        if value is not None:
            found[part] = shape.filter_key(wanted.field, value)
    if wanted.any_of is not None:
        found["any_of"] = tuple(shape.filter_key(wanted.field, value) or "" for value in wanted.any_of)
    return found


def search_faults(shape: Shape, request: SearchDatasetRecords) -> list[FieldError]:
    """Fields that are not indexed, and values that their fields cannot have."""
    faults = [
        fault for index, each in enumerate(request.filters) for fault in _filter_faults(shape, each, f"filters.{index}")
    ]
    if request.sort is not None and shape.column_of(request.sort) is None:
        faults.append(_not_indexed(shape, request.sort, "sort"))
    return faults


def _filter_faults(shape: Shape, wanted: FieldFilter, at: str) -> Iterator[FieldError]:
    if shape.column_of(wanted.field) is None:
        yield _not_indexed(shape, wanted.field, f"{at}.field")
        return
    values = [(name, getattr(wanted, name)) for name in BOUNDS]
    values += [(f"any_of.{index}", value) for index, value in enumerate(wanted.any_of or ())]
    for name, value in values:
        if value is not None and shape.filter_key(wanted.field, value) is None:
            yield FieldError(f"{at}.{name}", "field.filter_value", {"name": wanted.field})


def _not_indexed(shape: Shape, field: str, at: str) -> FieldError:
    known = ", ".join(name for name in (shape.key_field, *shape.slots) if name)
    return FieldError(at, "field.not_indexed", {"name": field, "known": known or "-"})
