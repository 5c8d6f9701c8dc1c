"""The examples of fleet fit its operations."""

from typing import Any

from tests.contexts.fleet.examples import EXAMPLES

from haulier.app import registry


def _filled(value: Any) -> Any:
    """An example with 1 in place of each placeholder."""
    if isinstance(value, dict):
        return {name: _filled(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    return 1 if isinstance(value, str) and value.startswith("$") else value


def test_every_operation_has_an_example_that_its_request_accepts() -> None:
    operations = {
        operation.name: operation
        for operation in registry()
        if operation.handler.__module__.startswith("haulier.contexts.fleet.")
    }
    assert operations.keys() == EXAMPLES.keys()
    for name, example in EXAMPLES.items():
        operations[name].request.model_validate(_filled(example))
