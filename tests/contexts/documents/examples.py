"""A valid request for each operation on files and documents."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_file": {"file_id": "$file_id"},
    "issue_document": {"kind": "labels", "order_ids": ["$order_id"]},
    "list_documents": {},
    "get_document": {"document_id": "$document_id"},
    "get_document_file": {"document_id": "$document_id"},
    "revoke_document": {"document_id": "$document_id", "reason": "mistake"},
    "verify_document": {"number": "HD4K7Q2M9XW3TZ8RBC"},
    "list_signing_certificates": {},
}
