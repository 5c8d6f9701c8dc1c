"""The examples of customer apps fit its operations."""

from tests.contexts.customer_apps.app_sessions import examples as app_sessions
from tests.contexts.customer_apps.apps import examples as apps
from tests.contexts.customer_apps.registration import examples as registration
from tests.support.examples import invalid_examples

FAMILIES = {
    "customer_apps.app_sessions": app_sessions.EXAMPLES,
    "customer_apps.apps": apps.EXAMPLES,
    "customer_apps.registration": registration.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [fault for family, examples in FAMILIES.items() for fault in invalid_examples(family, examples)]
    assert not faults
