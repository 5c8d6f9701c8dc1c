"""One valid request for each operation of text messages."""

EXAMPLES: dict[str, dict[str, object]] = {
    "get_sms_settings": {},
    "set_sms_account": {
        "provider": "twilio",
        "account": "AC0123abcd",
        "secret": "provider secret",
        "sender": "+14165550100",
    },
    "remove_sms_account": {},
    "send_test_sms": {"phone": "+14165550123"},
}
