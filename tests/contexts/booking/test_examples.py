"""The examples of booking fit its operations."""

from tests.contexts.booking.reservations import examples as reservations
from tests.support.placeholders import example_faults

FAMILIES = {
    "booking.reservations": reservations.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    assert not [fault for family, examples in FAMILIES.items() for fault in example_faults(family, examples)]
