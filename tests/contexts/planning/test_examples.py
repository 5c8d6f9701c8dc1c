"""The examples of planning fit its operations."""

from tests.contexts.planning.builds import examples as builds
from tests.support.example_placeholders import fill_placeholders
from tests.support.examples import invalid_examples

FAMILIES = {
    "planning.builds": builds.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [
        fault
        for family, examples in FAMILIES.items()
        for fault in invalid_examples(family, fill_placeholders(examples))
    ]
    assert not faults
