"""The examples of OAuth fit its operations."""

from tests.contexts.oauth.grants import examples as grants
from tests.support.examples import invalid_examples

FAMILIES = {
    "oauth.grants": grants.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [fault for family, examples in FAMILIES.items() for fault in invalid_examples(family, examples)]
    assert not faults
