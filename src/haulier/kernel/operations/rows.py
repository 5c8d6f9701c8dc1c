"""Rows of a request that are judged one by one: a malformed row is refused alone, and the others go on.

A request that has such rows types them `list[Annotated[CreateOrder | MalformedRow, JudgedAlone()]]` and names the field in
`judged_rows`. What is published of it describes the well-formed row alone.
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
    """A row that cannot be read. The paths of its errors begin within the row."""

    values: Any
    """What was sent."""
    field_errors: tuple[FieldError, ...]


class JudgedAlone:
    """Marks the type of a row, a union of a request and `MalformedRow`: what is not the former becomes the latter."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The schema of the well-formed row, around which nothing raises."""
        kind: type[Request] = get_args(source)[0]

        def read(value: Any, _validate: Callable[[Any], Any]) -> Request | MalformedRow:
            return value if isinstance(value, kind | MalformedRow) else read_row(kind, value)

        return core_schema.no_info_wrap_validator_function(
            read,
            handler.generate_schema(kind),
            serialization=core_schema.plain_serializer_function_ser_schema(_dump_row, info_arg=True),
        )


def read_row(kind: type[R], value: Any) -> R | MalformedRow:
    """A row of a request, or what is wrong with it."""
    # Why: inside a list strict validation has Python values before it and would refuse a date that is a text.
    try:
        return validate_document(kind, json.dumps(value).encode())
    except ValidationError as error:
        return MalformedRow(_storable(value), tuple(list_field_errors(kind, error)))


def with_row_errors(row: R | MalformedRow, errors: Sequence[FieldError]) -> R | MalformedRow:
    """Return a row that is refused for further reasons; the same row without any."""
    for error in errors:
        row = _with_error(row, error)
    return row


def _storable(value: Any) -> Any:
    """The same, without numbers that JSON documents in a database cannot hold: those become texts."""
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
    """Give each error inside a judged row to that row, which becomes a malformed one. Returns the errors that are left."""
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
