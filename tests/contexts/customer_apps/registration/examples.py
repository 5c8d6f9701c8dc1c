"""One valid request for each operation of registration."""

from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE

EXAMPLES: dict[str, dict[str, object]] = {
    "request_phone_code": {**CLIENT_APP, "phone": "+14165550123"},
    "verify_phone": {**CLIENT_APP, "challenge_id": "0123456789abcdef", "code": "123456"},
    "complete_registration": {
        **CLIENT_APP,
        **DEVICE,
        "registration_token": "hlregistration_0123456789",
        "name": "Nia",
        "email": "nia@home.example",
        "password": "correct horse battery",
    },
    "list_app_registrations": {"status": "pending_approval"},
    "approve_app_registration": {"registration_id": "$registration_id"},
    "reject_app_registration": {"registration_id": "$registration_id", "reason": "Unknown company"},
}
