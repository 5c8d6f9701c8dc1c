"""A valid request for each operation on definitions of custom fields."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_custom_fields": {"kind": "order"},
    "get_custom_field": {"custom_field_id": "$custom_field_id"},
    "create_custom_field": {
        "kind": "order",
        "name": "purchase_order",
        "labels": {"en": "Purchase order", "fr": "Bon de commande"},
        "value_schema": {"type": "string", "maxLength": 20},
        "filterable": True,
    },
    "update_custom_field": {"custom_field_id": "$custom_field_id", "version": 1, "required": True},
    "archive_custom_field": {"custom_field_id": "$custom_field_id"},
    "restore_custom_field": {"custom_field_id": "$custom_field_id"},
}
