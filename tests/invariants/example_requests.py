"""A plausible request for any operation: its example, with records of the demo client by name."""

from collections.abc import Mapping
from typing import Any

from tests.support.examples import examples, fill_placeholders

from haulier.kernel.operations.declaration import Operation


def a_request_for(operation: Operation[Any, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """What is required of the example; a field whose name is in `known` takes that value, also inside lists and records.

    What may be left out is left out: a filter of an example would hide the very records that a test looks for.
    """
    example = examples()[operation.name]
    asked: dict[str, Any] = {}
    for field, about in operation.request.model_fields.items():
        name = about.alias or field
        if name in known:
            asked[name] = known[name]
        elif about.is_required():
            asked[name] = _with_known(name, example[name], known)
    return asked


def _with_known(name: str, value: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {part: known[part] if part in known else _with_known(part, each, known) for part, each in value.items()}
    if isinstance(value, list):
        one = name.removesuffix("s")
        return [known[one] if one in known else _with_known(one, each, known) for each in value]
    return fill_placeholders(value, known)
