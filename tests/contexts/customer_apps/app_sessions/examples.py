"""One valid request for each operation of app sessions."""

from tests.contexts.customer_apps.customer_app import CLIENT_APP, DEVICE

EXAMPLES: dict[str, dict[str, object]] = {
    "sign_in_to_app_with_email": {
        **CLIENT_APP,
        **DEVICE,
        "email": "cleo@demo.example",
        "password": "correct horse battery",
    },
    "sign_in_to_app_with_idp": {**CLIENT_APP, **DEVICE, "id_token": "header.claims.signature"},
    "refresh_app_session": {**CLIENT_APP, **DEVICE, "app_version": "1.4.0"},
    "sign_out_of_app": {**CLIENT_APP},
}
