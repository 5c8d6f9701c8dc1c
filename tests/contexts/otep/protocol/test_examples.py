"""The examples of the protocol fit its operations."""

from tests.contexts.otep.protocol.examples import EXAMPLES

from haulier.app import registry


def test_every_operation_has_an_example_that_its_request_accepts() -> None:
    operations = {
        operation.name: operation
        for operation in registry()
        if operation.handler.__module__.startswith("haulier.contexts.otep.")
    }
    assert operations.keys() == EXAMPLES.keys()
    for name, example in EXAMPLES.items():
        operations[name].request.model_validate(example)
