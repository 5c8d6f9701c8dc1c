"""Names the missing record in 404 errors by the fields of the operation's path."""

import re
from functools import lru_cache
from typing import Any

from haulier.kernel.operations.declaration import Operation, Request, Rest
from haulier.kernel.operations.errors import NOT_FOUND, OperationError, record_not_found

_NAMED_SEGMENT = re.compile(r"{(\w+)}")


def name_missing_record(error: OperationError, operation: Operation[Any, Any], request: Request) -> OperationError:
    """Add the fields of the path to a `NOT_FOUND` that names no record.

    Other errors are returned unchanged.
    """
    return missing_record(error, **{name: getattr(request, field) for name, field in _identifying_fields(operation)})


def missing_record(error: OperationError, **values: Any) -> OperationError:
    """Add the looked-up values to a `NOT_FOUND` that names no record.

    Other errors are returned unchanged.
    """
    if error.error_type is not NOT_FOUND or error.field_errors or not values:
        return error
    return record_not_found(**values)


@lru_cache(maxsize=4096)
def _identifying_fields(operation: Operation[Any, Any]) -> tuple[tuple[str, str], ...]:
    """Return the names in the operation's path with their request fields."""
    path = next((interface.path for interface in operation.interfaces if isinstance(interface, Rest)), "")
    fields = {info.alias or name: name for name, info in operation.request.model_fields.items()}
    return tuple((name, fields[name]) for name in _NAMED_SEGMENT.findall(path))
