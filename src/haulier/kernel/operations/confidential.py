"""Texts that a request says and a record keeps, and that the audit trail does not repeat: codes of gates and doors.

What nobody is to read again, such as a password, is a `SecretStr` instead.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import SerializationInfo, SerializerFunctionWrapHandler, WrapSerializer

TO_THE_AUDIT_TRAIL: Mapping[str, Any] = {"confidential": False}
"""The context in which a request is written down for whoever reads the trail."""
CONCEALED = "**********"


def _conceal(value: Any, write: SerializerFunctionWrapHandler, info: SerializationInfo) -> Any:
    return CONCEALED if info.context is TO_THE_AUDIT_TRAIL else write(value)


Confidential = WrapSerializer(_conceal)
"""Beside the type of a field: `Annotated[str, Confidential]`."""
