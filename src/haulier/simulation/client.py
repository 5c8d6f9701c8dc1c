"""HTTP client that signs in and reports errors of the server."""

from collections.abc import Mapping
from typing import Any

import httpx

KEPT_S = 3.0
"""Maximum idle time of a connection. The server closes idle ones after five seconds, possibly during a request."""


class RequestRefused(RuntimeError):
    """Raised for an error answer. The message is one line."""

    @classmethod
    def by(cls, document: Mapping[str, Any], asked: str) -> "RequestRefused":
        """Return the error for an error document and the request that caused it."""
        fields = "".join(f"; {each['field']}: {each['message']}" for each in document.get("errors", ()))
        return cls(f"{asked}: {document['code']}: {document['message']}{fields}")


def document_of(answer: httpx.Response) -> dict[str, Any]:
    """Return the document of an answer. Raises `RequestRefused`."""
    asked = f"{answer.request.method} {answer.request.url.path}"
    try:
        document = answer.json()
    except ValueError:
        raise RequestRefused(
            f"{asked}: {answer.status_code}: the answer is not JSON. Is this a Haulier server?"
        ) from None
    if answer.is_error:
        raise RequestRefused.by(document, asked)
    return document


class ApiClient:
    """A signed-in user at a running server."""

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
        """Send a GET request."""
        return document_of(self._http.get(path, params=query))

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a POST request."""
        return document_of(self._http.post(path, json=body))

    def patch(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a PATCH request."""
        return document_of(self._http.patch(path, json=body))
