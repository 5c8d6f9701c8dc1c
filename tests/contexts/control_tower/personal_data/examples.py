"""A valid request for each operation on a person's data."""

EXAMPLES: dict[str, dict[str, object]] = {
    "export_personal_data": {"email": "ada@example.com"},
    "erase_personal_data": {"email": "ada@example.com"},
    "list_personal_data_requests": {},
    "repeat_personal_data_request": {"request_id": "$request_id"},
    "get_personal_data_request": {"request_id": "$request_id"},
}
