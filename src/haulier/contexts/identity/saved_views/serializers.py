"""Views as their readers see them."""

from haulier.contexts.identity.saved_views.contract import SavedView
from haulier.contexts.identity.saved_views.rules import EVERYBODY, gone_from
from haulier.contexts.identity.saved_views.store import SavedViewRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record
from haulier.kernel.operations.resources import resources_of


def may_change(call: Call, row: SavedViewRow) -> bool:
    """Return True if the caller can change a view: its creator, and admins."""
    return row.made_by == call.actor or call.principal.account is Account.CLIENT_ADMIN


def serialize_view(call: Call, row: SavedViewRow) -> SavedView:
    """Return a view with its missing parts."""
    noun = resources_of(call.app.registry).by_key.get(row.noun)
    return record(
        SavedView,
        row,
        for_everybody=row.kept_for == EVERYBODY,
        changeable=may_change(call, row),
        gone=gone_from(noun, row.noun, row.filters, row.columns),
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )
