"""Push services over real HTTP: for browsers with encryption, and for apps."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from joserfc import jwk, jwt
from tests.support.posted_json import run_posted_json

from haulier.adapters.phone_pushes import from_base64url, to_base64url


def _derived(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(material)


class DeviceBrowser:
    """A browser with a subscription: only it can read what is sent there."""

    def __init__(self, url: str, name: str = "phone") -> None:
        self._key, self._secret = ec.generate_private_key(ec.SECP256R1()), b"sixteen bytes ok"
        point = serialization.PublicFormat.UncompressedPoint
        self._public = self._key.public_key().public_bytes(serialization.Encoding.X962, point)
        keys = {"p256dh": to_base64url(self._public), "auth": to_base64url(self._secret)}
        self.subscription: dict[str, Any] = {"kind": "web", "address": f"{url}/send/{name}", **keys}

    def read(self, body: bytes) -> Any:
        """Decrypt a body as RFC 8291 describes it."""
        salt, sender = body[:16], body[21 : 21 + body[20]]
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self._key.exchange(ec.ECDH(), public)
        material = _derived(self._secret, shared, b"WebPush: info\0" + self._public + sender, 32)
        key = _derived(salt, material, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _derived(salt, material, b"Content-Encoding: nonce\0", 12)
        plain = AESGCM(key).decrypt(nonce, body[21 + body[20] :], None)
        return json.loads(plain.rstrip(b"\0")[:-1])


class PushService:
    """Received pushes by path, and the next response; invalid signatures are rejected."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.says = 201
        self.taken: list[tuple[str, dict[str, str], bytes]] = []

    def answer(self, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, Any]]:
        """201 for what is right."""
        if self.says != 201:
            return self.says, {}
        scheme, _, rest = headers["Authorization"].partition(" ")
        parts = dict(part.strip().split("=", 1) for part in rest.split(","))
        x, y = (to_base64url(half) for half in (from_base64url(parts["k"])[1:33], from_base64url(parts["k"])[33:]))
        key = jwk.ECKey.import_key({"kty": "EC", "crv": "P-256", "x": x, "y": y})
        claims = jwt.decode(parts["t"], key, algorithms=["ES256"]).claims
        right = scheme == "vapid" and claims["aud"] == self.url and claims["sub"].startswith("mailto:")
        if not right or headers["Content-Encoding"] != "aes128gcm" or not int(headers["TTL"]):
            return 403, {}
        self.taken.append((path, dict(headers), body))
        return 201, {}


class FirebaseService:
    """Google's token endpoint and Firebase's `messages:send`, as documented."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.asked = 0
        self.taken: list[Any] = []
        self.fault: tuple[int, str] = (0, "")

    @property
    def account(self) -> dict[str, str]:
        """The file of a service account."""
        pkcs8 = serialization.PrivateFormat.PKCS8
        pem = self._key.private_bytes(serialization.Encoding.PEM, pkcs8, serialization.NoEncryption()).decode()
        named = {"project_id": "haulier-test", "client_email": "push@haulier-test.example"}
        return {"type": "service_account", **named, "private_key": pem, "token_uri": f"{self.url}/token"}

    def answer(self, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, Any]]:
        """Respond with a token, a message name, or an error in Firebase's format."""
        if path == "/token":
            form = parse_qs(body.decode())
            public = jwk.RSAKey.import_key(
                self._key.public_key().public_bytes(
                    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
                )
            )
            claims = jwt.decode(form["assertion"][0], public, algorithms=["RS256"]).claims
            assert form["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]
            assert claims["aud"] == f"{self.url}/token"
            self.asked += 1
            return 200, {"access_token": f"token-{self.asked}", "expires_in": 3600, "token_type": "Bearer"}
        if (
            headers["Authorization"] != f"Bearer token-{self.asked}"
            or path != "/v1/projects/haulier-test/messages:send"
        ):
            return 401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}}
        status, code = self.fault
        if status:
            kind = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
            return status, {"error": {"code": status, "details": [{"@type": kind, "errorCode": code}]}}
        self.taken.append(json.loads(body)["message"])
        return 200, {"name": f"projects/haulier-test/messages/{len(self.taken)}"}


@contextmanager
def make_push_service() -> Generator[PushService]:
    """A push service of browsers while the context is open."""
    with run_posted_json(PushService) as service:
        yield service


@contextmanager
def make_firebase() -> Generator[FirebaseService]:
    """Firebase while the context is open."""
    with run_posted_json(FirebaseService) as service:
        yield service
