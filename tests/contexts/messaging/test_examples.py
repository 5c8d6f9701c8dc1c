"""The examples of messaging fit its operations."""

from tests.contexts.messaging.sms import examples as sms
from tests.support.examples import invalid_examples

FAMILIES = {
    "messaging.sms": sms.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [fault for family, examples in FAMILIES.items() for fault in invalid_examples(family, examples)]
    assert not faults
