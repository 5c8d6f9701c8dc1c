"""Remarks of this product about carriers."""

from haulier.contexts.shipping.ports import CarrierMessage, Severity


def make_own_message(
    message: str, code: str, severity: Severity = Severity.ERROR, field: str | None = None, **params: str
) -> CarrierMessage:
    """Return a remark of this product, shown in the language of each reader."""
    return CarrierMessage("", code, severity, field, message, params)
