"""The examples of identity fit its operations."""

from tests.contexts.identity.accounts import examples as accounts
from tests.contexts.identity.invitations import examples as invitations
from tests.contexts.identity.members import examples as members
from tests.contexts.identity.passwords import examples as passwords
from tests.contexts.identity.sessions import examples as sessions
from tests.support.examples import invalid_examples

FAMILIES = {
    "identity.accounts": accounts.EXAMPLES,
    "identity.invitations": invitations.EXAMPLES,
    "identity.members": members.EXAMPLES,
    "identity.passwords": passwords.EXAMPLES,
    "identity.sessions": sessions.EXAMPLES,
}


def test_every_operation_has_a_valid_example() -> None:
    faults = [fault for family, examples in FAMILIES.items() for fault in invalid_examples(family, examples)]
    assert not faults
