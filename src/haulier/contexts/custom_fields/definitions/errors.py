"""Errors of definitions."""

from haulier.kernel.operations.errors import declare_error

CUSTOM_FIELD_NAME_TAKEN = declare_error("custom_field_name_taken", 409)
CUSTOM_FIELD_CHANGED = declare_error("custom_field_changed", 409)
