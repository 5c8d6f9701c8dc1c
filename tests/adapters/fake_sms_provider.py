"""A provider of text messages that behaves as Twilio documents it."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

from tests.support.posted_json import run_posted_json

ACCOUNT, TOKEN = "AC" + "0" * 32, "a-token"


TO, TEXT = "+14165550123", "123456 ist Ihr Code für Müller & Söhne"


class FakeSmsProvider:
    """The next response of the provider, and received messages."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.fault: tuple[int, int] | None = None
        self.taken: list[dict[str, str]] = []

    def answer(self, path: str, headers: Any, body: bytes) -> tuple[int, dict[str, Any]]:
        """Respond as documented: 201 with the message, or an error with a provider code."""
        expected = "Basic " + base64.b64encode(f"{ACCOUNT}:{TOKEN}".encode()).decode()
        if headers["Authorization"] != expected:
            return self._refusal(401, 20003)
        if path != f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json":
            return self._refusal(404, 20404)
        form = {name: values[0] for name, values in parse_qs(body.decode(), strict_parsing=True).items()}
        if headers["Content-Type"] != "application/x-www-form-urlencoded" or not {"To", "Body"} <= form.keys():
            return self._refusal(400, 21604)
        if self.fault:
            return self._refusal(*self.fault)
        self.taken.append(form)
        return 201, {"sid": "SM" + "0" * 32, "status": "queued", "to": form["To"], "body": form["Body"]}

    def _refusal(self, status: int, code: int) -> tuple[int, dict[str, Any]]:
        return status, {"code": code, "message": f"no, {TO}", "more_info": "https://…", "status": status}


@contextmanager
def run_sms_provider() -> Iterator[FakeSmsProvider]:
    with run_posted_json(FakeSmsProvider) as desk:
        yield desk
