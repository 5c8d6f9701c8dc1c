"""Who a selector names, in keys, and when a request counts as failed."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from haulier.contexts.control_tower.personal_data.contract import PersonSelector
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, with_keys
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

EXPORT_KEPT = timedelta(days=7)
"""How long the file of an export can be read."""
MAX_NAMED_RECORDS = 20
"""Of the records that stand in the way, so many are named."""


WORKED_ON_FOR = timedelta(days=1)
"""No job of theirs is tried for longer: what is queued since before that was cut off in its last attempt."""


def effective_state(state: str, created_at: datetime, now: datetime) -> str:
    """The state of a request, also of one whose job ended without a word."""
    return "failed" if state == "queued" and now - created_at > WORKED_ON_FOR else state


def selected_keys(selector: PersonSelector) -> PersonKeys:
    """The keys that a selector gives. Raises `INVALID_REQUEST` for one that names nobody."""
    keys = with_keys(
        {},
        {
            PersonKey.USER: [selector.user_id],
            PersonKey.DRIVER: [selector.driver_id],
            PersonKey.EMAIL: [selector.email],
            PersonKey.PHONE: [selector.phone],
        },
    )
    if not keys:
        raise INVALID_REQUEST.for_fields(FieldError("user_id", "field.missing"))
    return keys


def stored_keys(keys: PersonKeys) -> dict[str, list[Any]]:
    """Keys as a document."""
    return {key.value: sorted(values) for key, values in keys.items()}


def read_keys(document: Mapping[str, list[Any]]) -> PersonKeys:
    """The keys of a document."""
    return {PersonKey(name): frozenset(values) for name, values in document.items()}
