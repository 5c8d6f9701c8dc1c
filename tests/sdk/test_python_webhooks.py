"""Webhook signatures as the server makes them, verified by the Python client."""

import pytest
from tests.sdk.signed_message import BODY, NOW, SENT, signed

from haulier.contexts.integrations.webhooks.rules import generate_webhook_secret
from haulier_client import WebhookRefused, verify_webhook


def test_a_genuine_message_is_returned() -> None:
    secret = generate_webhook_secret()
    headers = {name.title(): value for name, value in signed(secret).items()}
    assert verify_webhook(BODY, headers, secret, now=NOW)["data"]["order"]["order_ref"] == "W-é"


def test_both_secrets_verify_during_a_rotation() -> None:
    old, new = generate_webhook_secret(), generate_webhook_secret()
    assert verify_webhook(BODY, signed(old, new), new, now=NOW)
    assert verify_webhook(BODY, signed(old), new, old, now=NOW)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"webhook-signature": "v1,AAAA"}, "mismatch"),
        ({"webhook-signature": "v1,\xe9"}, "mismatch"),
        ({"webhook-id": "msg_2"}, "mismatch"),
        ({"webhook-timestamp": "soon"}, "malformed"),
    ],
)
def test_a_changed_header_is_refused(change: dict[str, str], reason: str) -> None:
    secret = generate_webhook_secret()
    with pytest.raises(WebhookRefused, match=reason):
        verify_webhook(BODY, {**signed(secret), **change}, secret, now=NOW)


def test_a_changed_body_or_a_missing_header_is_refused() -> None:
    secret = generate_webhook_secret()
    with pytest.raises(WebhookRefused, match="mismatch"):
        verify_webhook(BODY + b" ", signed(secret), secret, now=NOW)
    with pytest.raises(WebhookRefused, match="malformed"):
        verify_webhook(BODY, {}, secret, now=NOW)


@pytest.mark.parametrize(("age_s", "reason"), [(301, "too_old"), (-301, "too_new")])
def test_a_message_outside_the_time_tolerance_is_refused(age_s: float, reason: str) -> None:
    secret = generate_webhook_secret()
    with pytest.raises(WebhookRefused, match=reason):
        verify_webhook(BODY, signed(secret), secret, now=SENT.timestamp() + age_s)


def test_without_a_secret_every_message_is_refused() -> None:
    with pytest.raises(WebhookRefused, match="mismatch"):
        verify_webhook(BODY, signed(generate_webhook_secret()), now=NOW)
