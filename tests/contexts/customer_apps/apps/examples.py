"""One valid request for each operation of apps."""

from tests.contexts.customer_apps.customer_app import CLIENT_APP

EXAMPLES: dict[str, dict[str, object]] = {
    "app_bootstrap": {**CLIENT_APP, "platform": "ios", "app_version": "1.4.0"},
    "list_apps": {},
    "get_app_settings": {"appCode": CLIENT_APP["appCode"]},
    "update_app_settings": {"appCode": CLIENT_APP["appCode"], "enabled": True, "methods": ["email"]},
}
