"""A valid request for each operation on files."""

EXAMPLES: dict[str, dict[str, object]] = {"get_file": {"file_id": "$file_id"}}
