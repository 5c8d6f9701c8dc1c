"""The examples of dispatch fit its operations."""

from tests.contexts.dispatch.board import examples as board
from tests.contexts.dispatch.monitoring import examples as monitoring
from tests.support.placeholders import example_faults

FAMILIES = {
    "dispatch.board": board.EXAMPLES,
    "dispatch.monitoring": monitoring.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    assert not [fault for family, examples in FAMILIES.items() for fault in example_faults(family, examples)]
