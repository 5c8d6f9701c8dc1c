"""Security headers against content sniffing, caching and plain HTTP."""

from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NO_SNIFF = (b"x-content-type-options", b"nosniff")
NO_STORE = (b"cache-control", b"no-store")
HSTS_ONE_YEAR = (b"strict-transport-security", b"max-age=31536000")


def security_headers(*, https: bool) -> tuple[tuple[bytes, bytes], ...]:
    """Return the headers. `Strict-Transport-Security` is sent over HTTPS only."""
    return (NO_SNIFF, NO_STORE, *((HSTS_ONE_YEAR,) if https else ()))


class SecurityHeadersMiddleware:
    """Adds security headers that a response does not set itself.

    Responses are not cached by default.
    """

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self._app = app
        self._added = security_headers(https=https)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a connection with the added headers."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_missing_headers(message.get("headers", ()), self._added)
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)


def _with_missing_headers(
    headers: Iterable[tuple[bytes, bytes]], added: tuple[tuple[bytes, bytes], ...]
) -> list[tuple[bytes, bytes]]:
    header_list = list(headers)
    names = {name.lower() for name, _ in header_list}
    return header_list + [header for header in added if header[0] not in names]
