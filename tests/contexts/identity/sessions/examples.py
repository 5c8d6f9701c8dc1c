"""One valid request for each operation of sessions."""

EXAMPLES: dict[str, dict[str, object]] = {
    "login": {"email": "mia@demo.example", "password": "correct horse battery", "device": "Office computer"},
    "logout": {},
    "logout_everywhere": {},
    "who_am_i": {},
    "list_sessions": {"state": "active"},
    "revoke_session": {"session_id": "$session_id"},
    "list_user_sessions": {"user_id": "$user_id"},
    "end_user_sessions": {"user_id": "$user_id"},
    "open_test_session": {},
}
