"""Why a person's data is not erased."""

from haulier.kernel.operations.errors import declare_error

PERSON_IN_USE = declare_error("person_in_use", 409)
