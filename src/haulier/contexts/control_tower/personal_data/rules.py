"""Rules of selectors and of failed requests."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from haulier.contexts.control_tower.personal_data.contract import PersonSelector
from haulier.kernel.data.personal_data import PersonKey, PersonKeys, with_keys
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

EXPORT_KEPT = timedelta(days=7)
"""Time for which an export can be read."""
MAX_NAMED_RECORDS = 20
"""Maximum number of blocking records in an error."""


WORKED_ON_FOR = timedelta(days=1)
"""Maximum age of a queued request; older ones were cut off in their last attempt."""


def effective_state(state: str, created_at: datetime, now: datetime) -> str:
    """Return the state of a request, including those whose job vanished."""
    return "failed" if state == "queued" and now - created_at > WORKED_ON_FOR else state


def selected_keys(selector: PersonSelector) -> PersonKeys:
    """Return the keys of a selector. Raises `INVALID_REQUEST` for an empty one."""
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
    """Return keys as a document."""
    return {key.value: sorted(values) for key, values in keys.items()}


def read_keys(document: Mapping[str, list[Any]]) -> PersonKeys:
    """Return the keys of a document."""
    return {PersonKey(name): frozenset(values) for name, values in document.items()}
