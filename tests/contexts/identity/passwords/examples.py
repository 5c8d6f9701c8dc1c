"""One valid request for each operation of passwords."""

EXAMPLES: dict[str, dict[str, object]] = {
    "change_password": {"current_password": "correct horse battery", "new_password": "another long sentence"},
    "request_password_reset": {"email": "mia@demo.example"},
    "reset_password": {"token": "hlreset_0123456789", "new_password": "another long sentence"},
    "sign_in_with_link": {"token": "hlsignin_0123456789"},
    "set_user_password": {"user_id": "$user_id", "password": "another long sentence"},
}
