"""The examples of routes fit its operations."""

from tests.contexts.routes.assignments import examples as assignments
from tests.contexts.routes.pools import examples as pools
from tests.contexts.routes.routes import examples as routes
from tests.support.placeholders import example_faults

FAMILIES = {
    "routes.assignments": assignments.EXAMPLES,
    "routes.pools": pools.EXAMPLES,
    "routes.routes": routes.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    assert not [fault for family, examples in FAMILIES.items() for fault in example_faults(family, examples)]
