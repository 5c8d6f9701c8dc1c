"""Push notifications to browsers and apps.

Browsers: RFC 8030, encrypted by RFC 8291, signed by RFC 8292. Apps: Firebase Cloud Messaging, HTTP v1. Apple's own push
service is in `apple_pushes`.
"""

import base64
import re
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from haulier.adapters.apple_pushes import ApplePushes, apple_account
from haulier.adapters.http_client import open_client
from haulier.contexts.chat.ports import PhonePusher, PushGone, PushKind, PushNote, PushRefused, PushTarget
from haulier.contexts.integrations.ports import WebhookRequest, WebhookSender
from haulier.late_import import LateModule
from haulier.settings import InvalidSetting

if TYPE_CHECKING:
    import httpx
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers import aead
    from cryptography.hazmat.primitives.kdf import hkdf
    from joserfc import jwk, jwt
else:
    httpx = LateModule("httpx")
    hashes, serialization, ec = (
        LateModule(f"cryptography.hazmat.primitives.{name}") for name in ("hashes", "serialization", "asymmetric.ec")
    )
    aead, hkdf = (LateModule(f"cryptography.hazmat.primitives.{name}") for name in ("ciphers.aead", "kdf.hkdf"))
    jwk, jwt = map(LateModule, ("joserfc.jwk", "joserfc.jwt"))

KEPT_S = 4 * 3600
"""Time to live of a notification for an offline device.

A chat message is of little use the day after.
"""
TIMEOUT_S = 10.0
SIGNED_FOR_S, TOKEN_MARGIN_S = 3600, 60
RECORD_BYTES, TAG_BYTES, KEY_BYTES, SECRET_BYTES = 4096, 16, 65, 16
FCM_URL, FCM_SCOPE = "https://fcm.googleapis.com", "https://www.googleapis.com/auth/firebase.messaging"
JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
LATER = frozenset({401, 408, 425, 429})


def to_base64url(raw: bytes) -> str:
    """Encode bytes as URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def from_base64url(text: str) -> bytes:
    """Decode URL-safe base64, padded or not. Raises `ValueError`."""
    bare = text.rstrip("=")
    if not re.fullmatch(r"[A-Za-z0-9_-]*", bare):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))


def make_web_key() -> str:
    """Create a key for signing web pushes: the private number of P-256."""
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return to_base64url(number.to_bytes(32, "big"))


def _private_key(raw: bytes) -> "ec.EllipticCurvePrivateKey":
    return ec.derive_private_key(int.from_bytes(raw, "big"), ec.SECP256R1())


def _public_bytes(key: "ec.EllipticCurvePrivateKey") -> bytes:
    point = serialization.PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(serialization.Encoding.X962, point)


def _derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return hkdf.HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(material)


def encrypt_push(
    plain: bytes, device_key: bytes, device_secret: bytes, *, own_key: bytes | None = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a message for a device (RFC 8291, `aes128gcm`).

    `own_key` and `salt` are generated unless given. Raises `ValueError` for invalid keys.
    """
    own = _private_key(own_key) if own_key else ec.generate_private_key(ec.SECP256R1())
    device, salt = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), device_key), salt or token_bytes(16)
    mine = _public_bytes(own)
    shared = own.exchange(ec.ECDH(), device)
    material = _derive(device_secret, shared, b"WebPush: info\0" + device_key + mine, 32)
    key = _derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, material, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes((len(mine),)) + mine
    return head + aead.AESGCM(key).encrypt(nonce, plain + b"\2", None)


class WebPushes:
    """Client of the push services of browsers.

    Their addresses come from untrusted devices, so requests go through the webhook sender.
    """

    def __init__(self, key: str, contact: str, sender: WebhookSender) -> None:
        """Take a `key` as created by `make_web_key`.

        Raises `InvalidSetting` for an invalid key.
        """
        try:
            raw = from_base64url(key)
        except ValueError:
            raw = b""
        if len(raw) != 32:
            raise InvalidSetting("setting 'push_web_key' is no key; haulier channel push-key makes one")
        self._raw, self._contact, self._sender = raw, contact, sender

    @cached_property
    def public(self) -> str:
        """Public half of the key, which browsers receive."""
        return to_base64url(_public_bytes(_private_key(self._raw)))

    @cached_property
    def _key(self) -> "jwk.ECKey":
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return jwk.ECKey.import_key(_private_key(self._raw).private_bytes(pem, pkcs8, serialization.NoEncryption()))

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """See `PhonePusher`."""
        try:
            device = from_base64url(target.p256dh or ""), from_base64url(target.auth or "")
            body = encrypt_push(msgspec.json.encode(note), *device)
        except ValueError as error:
            raise PushGone("the device has no keys") from error
        parts = urlsplit(target.address)
        claims = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": int(time.time()) + SIGNED_FOR_S}
        signed = jwt.encode({"typ": "JWT", "alg": "ES256"}, {**claims, "sub": self._contact}, self._key)
        headers = {
            "Authorization": f"vapid t={signed}, k={self.public}",
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(KEPT_S),
            "Urgency": "high",
            "Topic": f"order-{note.order_id}",
        }
        answer = await self._sender.post(WebhookRequest(url=target.address, headers=headers, body=body))
        if answer.status is None and answer.fault == "address_refused":
            raise PushGone("no push service is there")
        if answer.status is None:
            raise OSError(f"the push service did not answer: {answer.fault}")
        _check_response(answer.status, gone={404, 410})


def _check_response(status: int, *, gone: set[int]) -> None:
    """Raise the errors of `PhonePusher.push` unless the note was accepted."""
    if 200 <= status < 300:
        return
    if status in gone:
        raise PushGone(f"the push service said {status}")
    if 400 <= status < 500 and status not in LATER:
        raise PushRefused(f"the push service said {status}")
    raise OSError(f"the push service said {status}")


class FcmAccount(msgspec.Struct, frozen=True):
    """Google service account, as in its JSON file."""

    project_id: str
    client_email: str
    private_key: str
    token_uri: str = "https://oauth2.googleapis.com/token"


class FcmPushes:
    """Client of Firebase Cloud Messaging.

    Serves Android, and iOS if the project has an Apple key. Source: firebase.google.com/docs/reference/fcm/rest/v1. An
    access token is valid for an hour and is requested with a signed assertion (RFC 7523).
    """

    def __init__(self, account: FcmAccount, url: str = FCM_URL, clock: Callable[[], float] = time.time) -> None:
        self._account, self._clock = account, clock
        self._url = f"{url.rstrip('/')}/v1/projects/{account.project_id}/messages:send"
        self._token, self._token_ends = "", 0.0

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """See `PhonePusher`."""
        told = {
            "type": note.type,
            "order_id": str(note.order_id),
            "message_id": str(note.message_id),
            "page": note.page,
        }
        collapse = f"order-{note.order_id}"
        message = {
            "token": target.address,
            "notification": {"title": note.title, "body": note.body},
            "data": told,
            "android": {"priority": "HIGH", "ttl": f"{KEPT_S}s", "collapse_key": collapse},
            "apns": {"headers": {"apns-collapse-id": collapse, "apns-expiration": str(int(self._clock()) + KEPT_S)}},
        }
        try:
            async with open_client(timeout=TIMEOUT_S) as http:
                headers = {"Authorization": f"Bearer {await self._access(http)}"}
                answer = await http.post(self._url, json={"message": message}, headers=headers)
        except httpx.HTTPError as error:
            raise OSError(f"the push service did not answer: {error!r}") from error
        if answer.status_code == 401:
            self._token_ends = 0.0
        _check_response(answer.status_code, gone={404} if _fcm_code(answer) == "UNREGISTERED" else set())

    async def _access(self, http: "httpx.AsyncClient") -> str:
        now, account = self._clock(), self._account
        if now >= self._token_ends:
            claims = {"iss": account.client_email, "scope": FCM_SCOPE, "aud": account.token_uri}
            key = jwk.RSAKey.import_key(account.private_key)
            times = {"iat": int(now), "exp": int(now) + SIGNED_FOR_S}
            signed = jwt.encode({"typ": "JWT", "alg": "RS256"}, {**claims, **times}, key)
            answer = await http.post(account.token_uri, data={"grant_type": JWT_GRANT, "assertion": signed})
            if not answer.is_success:
                raise OSError(f"Google gave no token for pushes: {answer.status_code}")
            document = answer.json()
            self._token, lasts = document["access_token"], float(document.get("expires_in", SIGNED_FOR_S))
            self._token_ends = now + lasts - TOKEN_MARGIN_S
        return self._token


def _fcm_code(answer: "httpx.Response") -> str | None:
    """Return Firebase's own error code from the error details."""
    try:
        details = answer.json()["error"]["details"]
        return next((each["errorCode"] for each in details if "errorCode" in each), None)
    except (ValueError, KeyError, TypeError):
        return None


class SimulatedPushes:
    """Push client of test businesses: accepts every notification and sends none."""

    def __init__(self, real: PhonePusher) -> None:
        self.kinds, self.web_key = real.kinds, real.web_key

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """Accept a notification."""

    async def close(self) -> None:
        """Close nothing."""


class PhonePushes:
    """Dispatcher to the push services that are configured."""

    def __init__(self, services: Mapping[PushKind, Any]) -> None:
        self._services = services
        self.kinds = frozenset(services)

    @property
    def web_key(self) -> str | None:
        """See `PhonePusher`."""
        web = self._services.get(PushKind.WEB)
        return web.public if web else None

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """See `PhonePusher`."""
        service = self._services.get(target.kind)
        if service is None:
            raise PushRefused(f"{target.kind} is not used here")
        await service.push(target, note)

    async def close(self) -> None:
        """See `PhonePusher`."""
        apple = self._services.get(PushKind.APNS)
        if apple is not None:
            await apple.close()


def phone_pushes_for(
    web_key: str | None, contact: str | None, fcm_account: Path | None, apns: str | None, sender: WebhookSender
) -> PhonePushes:
    """Return the push services that are configured, possibly none.

    Raises `InvalidSetting`.
    """
    services: dict[PushKind, Any] = {}
    if web_key:
        if contact is None:
            raise InvalidSetting("setting 'push_web_key' also needs 'push_contact'")
        services[PushKind.WEB] = WebPushes(web_key, contact, sender)
    if fcm_account:
        try:
            account = msgspec.json.decode(fcm_account.read_bytes(), type=FcmAccount)
        except (OSError, msgspec.DecodeError) as error:
            raise InvalidSetting(f"setting 'push_fcm_account' names no service account: {error}") from None
        services[PushKind.FCM] = FcmPushes(account)
    if apns:
        services[PushKind.APNS] = ApplePushes(apple_account(apns))
    return PhonePushes(services)
