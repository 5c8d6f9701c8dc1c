"""Errors of records."""

from haulier.kernel.operations.errors import declare_error

DATASET_KEY_TAKEN = declare_error("dataset_key_taken", 409)
DATASET_FULL = declare_error("dataset_full", 409)
DATASET_RECORD_CHANGED = declare_error("dataset_record_changed", 409)
DATASET_INDEXING = declare_error("dataset_indexing", 409)
GEOCODING_IS_OVER = declare_error("dataset_geocoding_is_over", 409)
NO_ADDRESS_FIELDS = declare_error("dataset_has_no_address", 409)
