"""Keys that clients choose: the same content repeats the first answer, other content is refused by field.

A request field is marked with `ClientKey`; what was stored under its value is compared with `require_same_content`.
"""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.operations.errors import FieldError, OperationError, declare_error

CLIENT_KEY_REUSED = declare_error("client_key_reused", 409)


class ClientKey:
    """Marks a request field whose value a client chooses to make a call repeatable."""


def list_differing_fields(sent: Mapping[str, Any], stored: Mapping[str, Any]) -> list[str]:
    """Return the names of fields that are not what was stored, in the order of `sent`."""
    return [name for name, value in sent.items() if value != stored.get(name)]


def key_reused(field: str, key: str, differing: list[str]) -> OperationError:
    """Return the refusal of a key whose first content differs in these fields."""
    faults = (FieldError(name, "field.differs_from_first", {"field": field}) for name in differing)
    return CLIENT_KEY_REUSED.for_fields(*faults, field=field, key=key)


def require_same_content(field: str, key: str, sent: Mapping[str, Any], stored: Mapping[str, Any]) -> None:
    """Raise `CLIENT_KEY_REUSED`, naming the fields that differ, where other content was stored under a key."""
    if differing := list_differing_fields(sent, stored):
        raise key_reused(field, key, differing)
