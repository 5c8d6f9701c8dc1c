"""Signed pushes by each provider's documentation; invalid ones leave no trace."""

import base64
import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any

import httpx
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jwk
from sqlalchemy import select
from tests.contexts.tracking.ingest.requests import (
    make_event,
    make_timeline,
    push_document,
    read_timeline,
    status_codes,
)
from tests.support.app import App

from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.contexts.tracking.providers.store import provider_keys
from haulier.kernel.secrets import SecretVault

SECRET = "sécret of the webhook"
NUMBER = "SP-1001"
BODY = json.dumps(make_timeline(make_event("in_transit"), number=NUMBER)).encode()


def with_a_vault(app: App) -> None:
    adapters: dict[type, Any] = dict(app.application.adapters)
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
    app.application.adapters = adapters


async def make_signing_provider(app: App, scheme: str, secret: str) -> tuple[int, str]:
    """A provider that signs; its id and its key."""
    with_a_vault(app)
    issued = await app.answer("admin", "issue_provider_key", {"name": "Swift Post"})
    asked = {"provider_id": issued.id, "scheme": scheme, "secret": secret}
    await app.answer("admin", "set_push_signature", asked)
    return issued.id, issued.key


def hmac_of(body: bytes, secret: str = SECRET) -> str:
    """The header that EasyPost sends."""
    import unicodedata

    key = unicodedata.normalize("NFKD", secret).encode()
    return "hmac-sha256-hex=" + hmac.new(key, body, hashlib.sha256).hexdigest()


class ShipEngine:
    """The sender: a private key, and the set that it publishes."""

    def __init__(self) -> None:
        self.key = jwk.RSAKey.generate_key(2048, {"kid": "k1"})
        self.published = json.dumps({"keys": [self.key.as_dict(private=False)]})

    def headers(self, body: bytes, at: str, kid: str = "k1") -> dict[str, str]:
        private: Any = self.key.private_key
        signature = private.sign(f"{at}.".encode() + body, padding.PKCS1v15(), hashes.SHA256())
        return {
            "x_shipengine_rsa_sha256_signature": base64.b64encode(signature).decode(),
            "x_shipengine_rsa_sha256_key_id": kid,
            "x_shipengine_timestamp": at,
        }


def fate(answer: httpx.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code")


async def test_the_easypost_signature_covers_the_raw_body(app: App) -> None:
    _, key = await make_signing_provider(app, "easypost", SECRET)
    wrong = {
        "none": {},
        "of another secret": {"x_hmac_signature": hmac_of(BODY, "another secret")},
        "of another body": {"x_hmac_signature": hmac_of(BODY + b" ")},
        "no words": {"x_hmac_signature": hmac_of(BODY).removeprefix("hmac-sha256-hex=")},
    }
    for name, headers in wrong.items():
        assert fate(await push_document(app, key, BODY, **headers)) == (401, "PUSH_SIGNATURE_WRONG"), name
    assert await read_timeline(app, NUMBER) == {}
    for _ in range(2):
        assert (await push_document(app, key, BODY, x_hmac_signature=hmac_of(BODY))).status_code == 200
    assert status_codes(await read_timeline(app, NUMBER)) == ["in_transit"]


async def test_the_shipengine_signature_is_checked_with_its_time_and_published_keys(app: App) -> None:
    sender, other = ShipEngine(), ShipEngine()
    _, key = await make_signing_provider(app, "shipengine", sender.published)
    now = app.clock.now
    at, old, early = (
        f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in (now, now - timedelta(minutes=6), now + timedelta(minutes=6))
    )
    wrong = {
        "none": {},
        "of another key": other.headers(BODY, at),
        "of a key that is not published": sender.headers(BODY, at, kid="k2"),
        "of another body": sender.headers(BODY + b" ", at),
        "too old": sender.headers(BODY, old),
        "too early": sender.headers(BODY, early),
        "of another time": {**sender.headers(BODY, at), "x_shipengine_timestamp": f"{now:%Y-%m-%dT%H:%M:01Z}"},
        "no time": sender.headers(BODY, "yesterday"),
        "a time without a zone": sender.headers(BODY, f"{now:%Y-%m-%dT%H:%M:%S}"),
        "no base64": {**sender.headers(BODY, at), "x_shipengine_rsa_sha256_signature": "?"},
    }
    for name, headers in wrong.items():
        assert fate(await push_document(app, key, BODY, **headers)) == (401, "PUSH_SIGNATURE_WRONG"), name
    assert await read_timeline(app, NUMBER) == {}
    for _ in range(2):
        assert (await push_document(app, key, BODY, **sender.headers(BODY, at))).status_code == 200
    assert status_codes(await read_timeline(app, NUMBER)) == ["in_transit"]


def shippo_signature(body: bytes, at: int, secret: str = SECRET) -> str:
    """The header that Shippo sends."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


async def test_the_shippo_signature_is_checked_with_its_time(app: App) -> None:
    _, key = await make_signing_provider(app, "shippo", SECRET)
    now = int(app.clock.now.timestamp())
    wrong = {
        "none": "",
        "of another secret": shippo_signature(BODY, now, "another secret"),
        "of another body": shippo_signature(BODY + b" ", now),
        "too old": shippo_signature(BODY, now - 301),
        "of another time": shippo_signature(BODY, now).replace(f"t={now}", f"t={now - 1}"),
        "no time": shippo_signature(BODY, now).partition(",")[2],
        "an endless time": f"t={'9' * 40},v1=x",
    }
    for name, header in wrong.items():
        answer = await push_document(app, key, BODY, shippo_auth_signature=header)
        assert fate(answer) == (401, "PUSH_SIGNATURE_WRONG"), name
    signed = {"shippo_auth_signature": shippo_signature(BODY, now)}
    assert (await push_document(app, key, BODY, **signed)).status_code == 200


async def test_the_aftership_signature_covers_the_raw_body(app: App) -> None:
    _, key = await make_signing_provider(app, "aftership", SECRET)

    def signature(body: bytes, secret: str = SECRET) -> str:
        return base64.b64encode(hmac.new(secret.encode(), body, hashlib.sha256).digest()).decode()

    for header in ("", "x", signature(BODY + b" "), signature(BODY, "another secret")):
        answer = await push_document(app, key, BODY, aftership_hmac_sha256=header)
        assert fate(answer) == (401, "PUSH_SIGNATURE_WRONG"), header
    assert (await push_document(app, key, BODY, aftership_hmac_sha256=signature(BODY))).status_code == 200


async def test_senders_without_custom_headers_pass_the_key_in_the_url(app: App) -> None:
    _, key = await make_signing_provider(app, "easypost", SECRET)
    signed = {"X-Hmac-Signature": hmac_of(BODY), "Content-Type": "application/json"}

    async def status(path: str) -> int:
        return (await app.http.post(f"/api/v1/otep/{path}", content=BODY, headers=signed)).status_code

    assert await status(f"ingest?token={key}") == 200
    assert [await status(path) for path in ("ingest", "ingest?token=", f"ingest?token={key}x")] == [401] * 3
    assert await status(f"ingest/epcis?token={key}") == 401


async def test_a_secret_is_stored_encrypted_and_never_returned(app: App) -> None:
    provider, key = await make_signing_provider(app, "easypost", SECRET)
    async with app.database.read(app.clients["demo"]) as work:
        kept = await work.value(select(provider_keys.c.sealed_signing_key))
    assert SECRET not in kept
    for path in ("/v1/otep/providers", f"/v1/audit-log?subject=provider_key:{provider}"):
        assert "cret of the webhook" not in (await app.rest("admin", "GET", path)).text
    (listed,) = (await app.answer("admin", "list_provider_keys")).providers
    assert listed.signature_scheme == "easypost"
    adapters: dict[type, Any] = dict(app.application.adapters)
    adapters[SecretVault] = EncryptedVault(b"n" * KEY_BYTES)
    app.application.adapters = adapters
    lost = await push_document(app, key, BODY, x_hmac_signature=hmac_of(BODY))
    assert fate(lost) == (401, "PUSH_SIGNATURE_WRONG")


async def test_without_a_signature_scheme_the_key_alone_authenticates(app: App) -> None:
    provider, key = await make_signing_provider(app, "easypost", SECRET)
    assert (await push_document(app, key, BODY)).status_code == 401
    removed = await app.answer("admin", "remove_push_signature", {"provider_id": provider})
    assert removed.signature_scheme is None
    assert (await push_document(app, key, BODY)).status_code == 200
    assert (await app.call("rival", "remove_push_signature", {"provider_id": provider})).status == 404
    for document in ("no keys at all", '{"keys": []}', '{"keys": [{"kty": "RSA", "kid": "k"}]}'):
        asked = {"provider_id": provider, "scheme": "shipengine", "secret": document}
        assert (await app.call("admin", "set_push_signature", asked)).status == 422, document
