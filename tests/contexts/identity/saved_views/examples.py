"""One valid request for each operation of saved views."""

EXAMPLES: dict[str, dict[str, object]] = {
    "list_saved_views": {"noun": "orders"},
    "save_view": {"noun": "orders", "name": "On hold", "filters": {"status": ["HOLD"]}, "columns": ["id", "name"]},
    "update_saved_view": {"saved_view_id": "$saved_view_id", "name": "On hold in Toronto"},
    "delete_saved_view": {"saved_view_id": "$saved_view_id"},
    "set_default_view": {"saved_view_id": "$saved_view_id"},
}
