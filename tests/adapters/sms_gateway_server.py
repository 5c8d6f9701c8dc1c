"""Server with the documented protocols and signatures of Twilio and Vonage."""

import base64
import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from tests.support.posted_json import run_posted_json

TWILIO_ACCOUNT, TWILIO_TOKEN = "AC" + "0" * 32, "a-token"
VONAGE_KEY, VONAGE_SECRET, VONAGE_SIGNING = "abcd1234", "an-api-secret", "a-signing-secret"


class GatewayServer:
    """Next responses, and received messages by recipient number."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.status: int | None = None
        self.code = 21211
        self.vonage_status = "0"
        self.taken: list[dict[str, str]] = []

    def answer(self, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, Any]]:
        form = {name: values[0] for name, values in parse_qs(body.decode(), strict_parsing=True).items()}
        if self.status:
            return self.status, {"code": self.code, "message": "no", "status": self.status}
        if path == "/sms/json":
            return self._vonage(form)
        expected = "Basic " + base64.b64encode(f"{TWILIO_ACCOUNT}:{TWILIO_TOKEN}".encode()).decode()
        if headers["Authorization"] != expected:
            return 401, {"code": 20003, "status": 401}
        if path != f"/2010-04-01/Accounts/{TWILIO_ACCOUNT}/Messages.json":
            return 404, {"code": 20404, "status": 404}
        self.taken.append(form)
        return 201, {"sid": f"SM{len(self.taken):032}", "status": "queued"}

    def _vonage(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if (form["api_key"], form["api_secret"]) != (VONAGE_KEY, VONAGE_SECRET):
            return 200, {"message-count": "1", "messages": [{"status": "4", "error-text": "Bad Credentials"}]}
        if self.vonage_status != "0":
            return 200, {"message-count": "1", "messages": [{"status": self.vonage_status, "error-text": "no"}]}
        self.taken.append(form)
        part = {"to": form["to"], "message-id": f"0A{len(self.taken):014}", "status": "0"}
        return 200, {"message-count": "1", "messages": [part]}


def sign_as_twilio(url: str, form: dict[str, str]) -> str:
    """Sign by the steps of twilio.com/docs/usage/security, independent of Haulier."""
    text = url
    for name in sorted(form):
        text += name + form[name]
    mac = hmac.new(TWILIO_TOKEN.encode(), text.encode(), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode("ascii")


def sign_as_vonage(form: dict[str, str]) -> dict[str, str]:
    """By the steps of developer.vonage.com on signing messages."""
    text = ""
    for name in sorted(form):
        text += "&" + name + "=" + form[name].replace("&", "_").replace("=", "_")
    mac = hmac.new(VONAGE_SIGNING.encode(), text.encode(), hashlib.sha256)
    return {**form, "sig": mac.hexdigest()}


@contextmanager
def run_gateway_server() -> Iterator[GatewayServer]:
    with run_posted_json(GatewayServer) as desk:
        yield desk
