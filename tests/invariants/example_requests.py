"""Plausible requests for any operation, with records of the demo client."""

from collections.abc import Mapping
from typing import Any

from tests.support.examples import examples, fill_placeholders

from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.errors import OperationError


def make_request_for(operation: Operation[Any, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the required part of the example, with values from `known`.

    Fields named in `known` take its value, also inside lists and records. Optional fields are omitted, because a
    filter would hide the records that a test searches; an operation that needs one of several fields gets its
    example.
    """
    example = examples()[operation.name]
    fields = {about.alias or field: about for field, about in operation.request.model_fields.items()}
    needed = [name for name, about in fields.items() if name in known or about.is_required()]
    asked = {name: known[name] if name in known else _with_known(name, example[name], known) for name in needed}
    try:
        codec.parse_request_values(operation.request, asked)
    except OperationError:
        return fill_placeholders(example, known)
    return asked


def of_required_fields(operation: Operation[Any, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a request that are always required."""
    fields = operation.request.model_fields.items()
    needed = {about.alias or field for field, about in fields if about.is_required()}
    return {name: value for name, value in request.items() if name in needed}


def _with_known(name: str, value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {part: known[part] if part in known else _with_known(part, each, known) for part, each in value.items()}
    if isinstance(value, list):
        one = name.removesuffix("s")
        return [known[one] if one in known else _with_known(one, each, known) for each in value]
    return fill_placeholders(value, known)
