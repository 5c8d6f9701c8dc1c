"""Text that is stored but omitted from the audit trail, such as gate codes.

Text that must never be read again, such as a password, is a `SecretStr` instead.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import SerializationInfo, SerializerFunctionWrapHandler, WrapSerializer

TO_THE_AUDIT_TRAIL: Mapping[str, Any] = {"confidential": False}
"""Serialization context for the audit trail."""
CONCEALED = "**********"


def _conceal(value: Any, write: SerializerFunctionWrapHandler, info: SerializationInfo) -> Any:
    return CONCEALED if info.context is TO_THE_AUDIT_TRAIL else write(value)


Confidential = WrapSerializer(_conceal)
"""Annotation for a field: `Annotated[str, Confidential]`."""
