"""The client: signs in, retries what may be retried, and reports errors of the server."""

from typing import Any

import httpx


class RequestRefused(RuntimeError):
    """The server answered with an error."""


class ApiClient:
    """One signed-in person at a running server."""

    def __init__(self, base_url: str, email: str, password: str) -> None:
        self.base_url = base_url
        self._http = httpx.Client(base_url=f"{base_url.rstrip('/')}/api", timeout=60)
        self.email = email
        session = self.post("/v1/user/login", email=email, password=password)
        self.user_id: int = session["user"]["id"]
        self._http.headers["Authorization"] = f"Bearer {session['access_token']}"

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Read."""
        return self._document_of(self._http.get(path, params=query))

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Write."""
        return self._document_of(self._http.post(path, json=body))

    def patch(self, path: str, **body: Any) -> dict[str, Any]:
        """Change."""
        return self._document_of(self._http.patch(path, json=body))

    def _document_of(self, answer: httpx.Response) -> dict[str, Any]:
        document = answer.json()
        if answer.is_error:
            raise RequestRefused(f"{answer.request.method} {answer.request.url.path}: {document}")
        return document
