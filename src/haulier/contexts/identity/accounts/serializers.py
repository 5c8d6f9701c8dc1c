"""Users and clients as answers show them."""

from msgspec import UNSET

from haulier.contexts.identity.accounts.contract import ClientFacts, UserRecord
from haulier.contexts.identity.accounts.rules import (
    active_features,
    client_language,
    enabled_modules,
    has_email,
    is_test_business,
)
from haulier.contexts.identity.accounts.store.users import ClientRow, UserListRow
from haulier.kernel.operations.records import record


def to_client_facts(row: ClientRow) -> ClientFacts:
    """Return the facts of a client."""
    return record(
        ClientFacts,
        row,
        country=row.country or UNSET,
        modules=enabled_modules(row.modules, row.settings),
        features=active_features(row.features, row.settings),
        language=client_language(row.settings),
        test=is_test_business(row.settings),
    )


def to_user_record(row: UserListRow) -> UserRecord:
    """Return a user as their client sees them."""
    return record(UserRecord, row, email=row.email if has_email(row.email) else None)
