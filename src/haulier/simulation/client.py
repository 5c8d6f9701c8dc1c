"""The client: signs in, retries what may be retried, and reports errors of the server."""

from collections.abc import Mapping
from typing import Any

import httpx

KEPT_S = 3.0
"""A connection that was idle for so long is not used again: the server ends one after five seconds, perhaps just then."""


class RequestRefused(RuntimeError):
    """The server answered with an error; its text is one line."""

    @classmethod
    def by(cls, document: Mapping[str, Any], asked: str) -> "RequestRefused":
        """What an error document says of what was asked: its code, its message, and what is wrong with which field."""
        fields = "".join(f"; {each['field']}: {each['message']}" for each in document.get("errors", ()))
        return cls(f"{asked}: {document['code']}: {document['message']}{fields}")


def document_of(answer: httpx.Response) -> dict[str, Any]:
    """The document of an answer. Raises `RequestRefused`."""
    asked = f"{answer.request.method} {answer.request.url.path}"
    try:
        document = answer.json()
    except ValueError:
        raise RequestRefused(
            f"{asked}: {answer.status_code}: the answer is no JSON; is this a server of Haulier?"
        ) from None
    if answer.is_error:
        raise RequestRefused.by(document, asked)
    return document


class ApiClient:
    """One signed-in person at a running server."""

    def __init__(self, base_url: str, email: str, password: str) -> None:
        self.base_url = base_url
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/api", timeout=60, limits=httpx.Limits(keepalive_expiry=KEPT_S)
        )
        self.email = email
        session = self.post("/v1/user/login", email=email, password=password)
        self.user_id: int = session["user"]["id"]
        self._http.headers["Authorization"] = f"Bearer {session['access_token']}"

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Read."""
        return document_of(self._http.get(path, params=query))

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Write."""
        return document_of(self._http.post(path, json=body))

    def patch(self, path: str, **body: Any) -> dict[str, Any]:
        """Change."""
        return document_of(self._http.patch(path, json=body))
