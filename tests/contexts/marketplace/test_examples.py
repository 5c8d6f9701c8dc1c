"""The examples of the marketplace fit its operations."""

from tests.contexts.marketplace.partners import examples as partners
from tests.contexts.marketplace.route_board import examples as route_board
from tests.support.example_placeholders import fill_placeholders
from tests.support.examples import invalid_examples

FAMILIES = {
    "marketplace.partners": partners.EXAMPLES,
    "marketplace.route_board": route_board.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [
        fault
        for family, examples in FAMILIES.items()
        for fault in invalid_examples(family, fill_placeholders(examples))
    ]
    assert not faults
