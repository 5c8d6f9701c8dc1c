"""Errors of erasures and repetitions."""

from haulier.kernel.operations.errors import declare_error

PERSON_IN_USE = declare_error("person_in_use", 409)
PERSONAL_DATA_REQUEST_NOT_FAILED = declare_error("personal_data_request_not_failed", 409)
