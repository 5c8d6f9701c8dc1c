"""Every operation of approvals has an example request, and each is valid."""

from typing import Any

from tests.contexts.control_tower.approvals.examples import EXAMPLES

from haulier.app import registry
from haulier.kernel.operations import codec


def with_ids(value: Any) -> Any:
    """A request in which every placeholder is a number."""
    if isinstance(value, dict):
        return {name: with_ids(inner) for name, inner in value.items()}
    return 1 if isinstance(value, str) and value.startswith("$") else value


def test_every_operation_has_an_example_that_validates() -> None:
    operations = {operation.name: operation for operation in registry() if operation.family == "approvals"}
    assert EXAMPLES.keys() == operations.keys()
    for name, example in EXAMPLES.items():
        codec.parse_request_values(operations[name].request, with_ids(example))
