"""The examples of the driver's app fit its operations."""

from tests.contexts.driver_app import examples
from tests.contexts.driver_app.offers import examples as offers
from tests.contexts.driver_app.offline_queue import examples as offline_queue
from tests.contexts.driver_app.positions import examples as positions
from tests.support.example_placeholders import fill_placeholders
from tests.support.examples import invalid_examples

FAMILIES = {
    "driver_app.policy": examples.POLICY,
    "driver_app.day": examples.DAY,
    "driver_app.scans": examples.SCANS,
    "driver_app.proof": examples.PROOF,
    "driver_app.offers": offers.EXAMPLES,
    "driver_app.offline_queue": offline_queue.EXAMPLES,
    "driver_app.positions": positions.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [
        fault
        for family, examples in FAMILIES.items()
        for fault in invalid_examples(family, fill_placeholders(examples))
    ]
    assert not faults
