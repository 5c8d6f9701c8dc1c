"""Users and clients as answers show them."""

from msgspec import UNSET

from haulier.contexts.identity.accounts.contract.client import ClientFacts
from haulier.contexts.identity.accounts.contract.users import UserRecord
from haulier.contexts.identity.accounts.rules.features import active_features
from haulier.contexts.identity.accounts.rules.languages import client_language
from haulier.contexts.identity.accounts.store.clients import ClientRow
from haulier.contexts.identity.accounts.store.users import UserListRow
from haulier.kernel.operations.records import record


def to_client_facts(row: ClientRow) -> ClientFacts:
    """The facts of a client."""
    return record(
        ClientFacts,
        row,
        country=row.country or UNSET,
        features=active_features(row.features, row.settings),
        language=client_language(row.settings),
    )


def to_user_record(row: UserListRow) -> UserRecord:
    """A user as their client sees them."""
    return record(UserRecord, row)
