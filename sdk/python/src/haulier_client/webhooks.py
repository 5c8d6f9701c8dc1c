"""Verification of webhook signatures, as in Standard Webhooks 1.0."""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import time
from collections.abc import Iterable
from typing import Any, Protocol

from haulier_client.errors import WebhookRefused

TOLERANCE_S = 300


class Headers(Protocol):
    """Headers of a request: a dictionary, or those of a web framework."""

    def items(self) -> Iterable[tuple[str, str]]:
        """Return names and values."""
        ...


def verify_webhook(
    body: bytes, headers: Headers, *secrets: str, tolerance_s: float = TOLERANCE_S, now: float | None = None
) -> dict[str, Any]:
    """Return the message of a webhook whose signature is genuine.

    `body` is the raw body, before any parsing. While you replace a secret, pass both. Handle each `webhook-id` once:
    a message can arrive more than once. Raises `WebhookRefused`.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    try:
        id, sent, signatures = (lower[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        seconds = int(sent)
    except (KeyError, ValueError):
        raise WebhookRefused("malformed") from None
    genuine = {_sign(id, sent, body, secret) for secret in secrets}
    given = signatures.split()
    if not any(hmac.compare_digest(one.encode(), each) for one in given for each in genuine):
        raise WebhookRefused("mismatch")
    age = (time.time() if now is None else now) - seconds
    if abs(age) > tolerance_s:
        raise WebhookRefused("too_old" if age > 0 else "too_new")
    return json.loads(body)


def _sign(id: str, sent: str, body: bytes, secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.strip().removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("the secret of a webhook is `whsec_` and base64") from None
    digest = hmac.digest(key, f"{id}.{sent}.".encode() + body, "sha256")
    return b"v1," + base64.b64encode(digest)
