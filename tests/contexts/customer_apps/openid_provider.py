"""An OpenID provider on this machine: discovery, changeable keys and ID tokens."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

AUDIENCE = "backend.example"
Key = RSAKey | ECKey
_MADE: dict[str, Key] = {}


def make_key(kid: str) -> Key:
    """Return the private key of a name, generated once.

    RSA if it begins with `rsa`, else the curve P-256.
    """
    if kid not in _MADE:
        about = {"kid": kid, "use": "sig"}
        _MADE[kid] = RSAKey.generate_key(2048, about) if kid.startswith("rsa") else ECKey.generate_key("P-256", about)
    return _MADE[kid]


class OpenIdProvider:
    """State of the provider, and the number of key requests."""

    def __init__(self, issuer: str) -> None:
        self.issuer = issuer
        self.kids = ["rsa-1", "ec-1"]
        self.more_keys: list[dict[str, Any]] = []
        self.says_it_is = issuer
        self.max_age_s = 3600
        self.down = False
        self.asked = 0

    def document(self, path: str) -> dict[str, Any] | None:
        """Return the document at a path."""
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.says_it_is, "jwks_uri": f"{self.issuer}/keys"}
        if path != "/keys":
            return None
        self.asked += 1
        return {"keys": [*(make_key(kid).as_dict(private=False) for kid in self.kids), *self.more_keys]}

    def claims(self, now: datetime, **changed: Any) -> dict[str, Any]:
        """Return the claims of an ordinary token. A claim changed to None is left out."""
        usual: dict[str, Any] = {
            "iss": self.issuer,
            "sub": "person-1",
            "aud": AUDIENCE,
            "iat": int(now.timestamp()),
            "exp": int((now + timedelta(hours=1)).timestamp()),
            "email": "customer@demo.example",
            "email_verified": True,
        }
        return {name: value for name, value in {**usual, **changed}.items() if value is not None}

    def token(self, now: datetime, *, kid: str = "rsa-1", header: dict[str, Any] | None = None, **changed: Any) -> str:
        """An ID token, signed with the key of that name."""
        head = {"alg": "RS256" if kid.startswith("rsa") else "ES256", "kid": kid, **(header or {})}
        head = {name: value for name, value in head.items() if value is not None}
        return jwt.encode(head, self.claims(now, **changed), make_key(kid), algorithms=[head["alg"]])

    def unsigned(self, now: datetime, algorithm: str = "none") -> str:
        """A token that says it is signed so, and has no signature."""
        parts = ({"alg": algorithm, "typ": "JWT", "kid": "rsa-1"}, self.claims(now))
        return ".".join([*(_as_text(json.dumps(part).encode()) for part in parts), ""])

    def signed_with_the_public_key(self, now: datetime) -> str:
        """Return a token signed by HS256 with the public key as secret, a known attack."""
        said = self.unsigned(now, "HS256").removesuffix(".")
        secret = make_key("rsa-1").as_bytes(encoding="PEM", private=False)
        return f"{said}.{_as_text(hmac.new(secret, said.encode(), hashlib.sha256).digest())}"


def _as_text(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()


@contextmanager
def run_openid_provider() -> Iterator[OpenIdProvider]:
    """A provider that answers on a free port of this machine."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = None if provider.down else provider.document(self.path)
            body = json.dumps(document).encode()
            self.send_response(503 if provider.down else 200 if document else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", f"public, max-age={provider.max_age_s}")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is said on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider = OpenIdProvider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
