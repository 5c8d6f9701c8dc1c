"""Every operation has one example beside its tests, which its request accepts."""

from collections import Counter

from tests.support.examples import examples, fill_placeholders, tables

from haulier.app import registry
from haulier.kernel.operations.codec import parse_request_values
from haulier.kernel.operations.errors import OperationError


def test_every_operation_has_exactly_one_example_in_its_context_tests() -> None:
    placed = Counter((context, name) for context, table in tables() for name in table)
    expected = Counter((operation.handler.__module__.split(".")[2], operation.name) for operation in registry())
    assert sorted((expected - placed).elements()) == [], "no example"
    assert sorted((placed - expected).elements()) == [], "an example too many, or in the wrong context"


def test_every_example_is_accepted_by_its_request() -> None:
    faults: list[str] = []
    for name, example in examples().items():
        try:
            parse_request_values(registry()[name].request, fill_placeholders(example, {}))
        except OperationError as error:
            faults.append(f"{name}: {error.field_errors}")
    assert faults == []
