"""Audiences name only accounts that can hold the operation's scopes."""

import pytest

from haulier.app import registry
from haulier.contexts.identity.accounts.rules import SCOPES_BY_ACCOUNT
from haulier.kernel.operations.enums import Account


@pytest.mark.parametrize("account", [account for account in Account if account is not Account.PUBLIC])
def test_an_account_can_hold_every_scope_its_operations_need(account: Account) -> None:
    short = {
        operation.name: sorted(operation.scopes - SCOPES_BY_ACCOUNT[account])
        for operation in registry()
        if account in operation.audience and not operation.scopes <= SCOPES_BY_ACCOUNT[account]
    }
    assert short == {}
