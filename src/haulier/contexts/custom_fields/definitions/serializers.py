"""Definitions as answers show them."""

from msgspec import UNSET

from haulier.contexts.custom_fields.definitions.contract import CustomField
from haulier.contexts.custom_fields.definitions.queries import definition_from_row
from haulier.contexts.custom_fields.definitions.rules import ResourceKind
from haulier.contexts.custom_fields.definitions.store import DefinitionRow
from haulier.kernel.call import Call
from haulier.kernel.i18n.languages import DEFAULT_LANGUAGE
from haulier.kernel.operations.records import record


def custom_field(call: Call, row: DefinitionRow) -> CustomField:
    """Return a definition with its label in the caller's language.

    Falls back to English, then to its name.
    """
    return record(
        CustomField,
        row,
        kind=ResourceKind(row.kind),
        label=row.labels.get(call.language) or row.labels.get(DEFAULT_LANGUAGE) or row.name,
        default=UNSET if row.default is None else row.default,
        editable=definition_from_row(row).is_editable_by(call.principal.account),
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )
