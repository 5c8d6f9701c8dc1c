"""Keys chosen by clients to make calls repeatable.

The same content returns the first answer; different content is an error.

Mark a request field with `ClientKey`, and compare the stored content with `require_same_content`.
"""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.operations.errors import FieldError, OperationError, declare_error

CLIENT_KEY_REUSED = declare_error("client_key_reused", 409)


class ClientKey:
    """Marks a request field with a key that makes a call repeatable."""


def list_differing_fields(sent: Mapping[str, Any], stored: Mapping[str, Any]) -> list[str]:
    """Return the names of fields that differ from the stored ones, in order."""
    return [name for name, value in sent.items() if value != stored.get(name)]


def key_reused(field: str, key: str, differing: list[str]) -> OperationError:
    """Return the error for a key that was used with different content."""
    faults = (FieldError(name, "field.differs_from_first", {"field": field}) for name in differing)
    return CLIENT_KEY_REUSED.for_fields(*faults, field=field, key=key)


def require_same_content(field: str, key: str, sent: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Raise `CLIENT_KEY_REUSED` with the fields that differ from the stored ones."""
    if differing := list_differing_fields(sent, stored):
        raise key_reused(field, key, differing)
