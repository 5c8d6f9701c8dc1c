"""Rows of a request that are validated one by one.

A malformed row does not affect the others.

Such rows are typed `list[Annotated[CreateOrder | MalformedRow, JudgedAlone()]]`, and their field is named in
`judged_rows`. The published schema describes the well-formed row only.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args

from msgspec import Struct
from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.validation import list_field_errors, validate_document

R = TypeVar("R", bound=Request)
MAX_EXACT_INTEGER = 2**63


class MalformedRow(Struct, frozen=True):
    """A row that cannot be read. Error paths are relative to the row."""

    values: Any
    """The row as it was sent."""
    field_errors: tuple[FieldError, ...]


class JudgedAlone:
    """Annotation for a union of a request and `MalformedRow`.

    Invalid values become a `MalformedRow`.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the well-formed row, with a validator that does not raise."""
        kind: type[Request] = get_args(source)[0]

        def read(value: Any, _validate: Callable[[Any], Any]) -> Request | MalformedRow:
            return value if isinstance(value, kind | MalformedRow) else read_row(kind, value)

        return core_schema.no_info_wrap_validator_function(
            read,
            handler.generate_schema(kind),
            serialization=core_schema.plain_serializer_function_ser_schema(_dump_row, info_arg=True),
        )


def read_row(kind: type[R], value: Any) -> R | MalformedRow:
    """Return a row, or its errors as a `MalformedRow`."""
    # Validate JSON: in a list, strict validation gets Python values and would refuse a date given as text.
    try:
        return validate_document(kind, json.dumps(value).encode())
    except ValidationError as error:
        return MalformedRow(_storable(value), tuple(list_field_errors(kind, error)))


def with_row_errors(row: R | MalformedRow, errors: Sequence[FieldError]) -> R | MalformedRow:
    """Add errors to a row, which becomes malformed if there are any."""
    for error in errors:
        row = _with_error(row, error)
    return row


def _storable(value: Any) -> Any:
    """Convert numbers that JSON documents in a database cannot hold to text."""
    if isinstance(value, dict):
        return {name: _storable(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_storable(member) for member in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return str(value) if isinstance(value, int) and abs(value) >= MAX_EXACT_INTEGER else value


def _dump_row(row: Any, info: Any) -> Any:
    if isinstance(row, BaseModel):
        return row.model_dump(mode=info.mode, exclude_defaults=info.exclude_defaults, exclude_unset=info.exclude_unset)
    return row.values


def move_errors_to_rows(request: R, errors: Sequence[FieldError]) -> tuple[R, tuple[FieldError, ...]]:
    """Move errors inside such rows to the rows, and return the remaining errors."""
    left: list[FieldError] = []
    rows = {name: list(getattr(request, name)) for name in request.judged_rows}
    for error in errors:
        name, _, path = error.field.partition(".")
        index, _, within = path.partition(".")
        if name in rows and index.isdecimal():
            rows[name][int(index)] = _with_error(rows[name][int(index)], FieldError(within, error.code, error.params))
        else:
            left.append(error)
    return (request.model_copy(update=rows) if len(left) < len(errors) else request), tuple(left)


def _with_error(row: Request | MalformedRow, error: FieldError) -> MalformedRow:
    if isinstance(row, MalformedRow):
        others = (other for other in row.field_errors if other.field != error.field)
        return MalformedRow(row.values, (error, *others))
    return MalformedRow(row.model_dump(mode="json", exclude_unset=True), (error,))
