"""Errors of datasets."""

from haulier.kernel.operations.errors import declare_error

DATASET_NAME_TAKEN = declare_error("dataset_name_taken", 409)
DATASET_GROUP_NAME_TAKEN = declare_error("dataset_group_name_taken", 409)
DATASET_GROUP_IN_USE = declare_error("dataset_group_in_use", 409)
