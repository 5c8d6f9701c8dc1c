"""Interface of custom fields for other contexts."""

from haulier.contexts.custom_fields.definitions.queries import get_field_set, get_field_sets
from haulier.contexts.custom_fields.definitions.rules import FieldSet, ResourceKind
from haulier.contexts.custom_fields.values.actions import (
    changed_custom_fields,
    index_new_records,
    index_record,
    new_custom_fields,
)
from haulier.contexts.custom_fields.values.queries import (
    custom_fields_column,
    erased_custom_fields,
    list_matching_records,
    list_shown_fields,
    matching_records,
    read_custom_field_filters,
    share_custom_fields,
    show_custom_fields,
)
from haulier.contexts.custom_fields.values.rules import Document, FilterPlan

__all__ = [
    "Document",
    "FieldSet",
    "FilterPlan",
    "ResourceKind",
    "changed_custom_fields",
    "custom_fields_column",
    "erased_custom_fields",
    "get_field_set",
    "get_field_sets",
    "index_new_records",
    "index_record",
    "list_matching_records",
    "list_shown_fields",
    "matching_records",
    "new_custom_fields",
    "read_custom_field_filters",
    "share_custom_fields",
    "show_custom_fields",
]
