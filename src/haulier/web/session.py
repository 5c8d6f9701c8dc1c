"""Web session: the signed-in user, and protection against foreign forms.

The cookie holds the bearer token of a sign-in: 256 random bits. The database stores only a digest, so it can be revoked
like any session. Scripts cannot read it, forms of other sites do not send it, and no other interface accepts it.
"""

import hashlib
import hmac
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from haulier.kernel.application import Application
from haulier.kernel.operations.enums import OFFICE, Account, Feature, Module, Scope
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.pipeline.token_audience import require_audience

PLAIN_SESSION_COOKIE, SECURE_SESSION_COOKIE = "haulier_session", "__Host-haulier_session"
"""Over HTTPS the name itself makes the browser insist on `Secure` and on this host alone (RFC 6265bis, 4.1.3.2)."""
PLAIN_LIVE_COOKIE, SECURE_LIVE_COOKIE = "haulier_live_session", "__Host-haulier_live_session"
"""In test mode: the live session to go back to."""


class WebSession(Struct, frozen=True, kw_only=True):
    """A person who is signed in at the pages."""

    token: str
    """The bearer token: operations are called with it."""
    user_id: int
    client_id: int
    csrf: str
    """CSRF token that every form of this session sends as `csrf`."""
    name: str = ""
    account: Account = Account.CUSTOMER
    scopes: frozenset[Scope] = frozenset()
    time_zone: str = "UTC"
    currency: str = ""
    country: str | None = None
    """Country of the business, which decides its units."""
    features: frozenset[Feature] = frozenset()
    """The opt-in families of the business."""
    modules: frozenset[Module] = frozenset(Module)
    """The modules that the business enabled."""
    expires_at: datetime | None = None
    test: bool = False
    """True in test mode: the business is a test business."""
    has_sample_data: bool = False
    """True in test mode with sample data."""

    @property
    def office(self) -> bool:
        """Return True for staff of the business."""
        return self.account in OFFICE

    def is_genuine_form(self, request: Request, form: Mapping[str, Any]) -> bool:
        """Return True if a form was sent by a page of this session.

        Otherwise it has no effect.
        """
        token = form.get("csrf")
        return (
            is_from_our_page(request)
            and isinstance(token, str)
            and hmac.compare_digest(token.encode(), self.csrf.encode())
        )


async def current_session(request: Request) -> WebSession | None:
    """The session that a request comes with; None without one, or when it ended."""
    return await _session_of_cookie(request, _cookie_name(app_of(request)))


async def live_session(request: Request) -> WebSession | None:
    """Return the live session of a browser in test mode; None without one."""
    return await _session_of_cookie(request, _live_cookie_name(app_of(request)))


async def _session_of_cookie(request: Request, name: str) -> WebSession | None:
    token = request.cookies.get(name)
    return await session_of_token(request, token) if token else None


async def session_of_token(request: Request, token: str) -> WebSession | None:
    """Return the session of a token; None if it ended or belongs to no user."""
    app = app_of(request)
    try:
        require_audience(token, None)
        who = await app.callers.identify(token, app.clock())
    except OperationError:
        return None
    if who.user_id is None or who.business is None:
        return None
    return WebSession(
        token=token,
        user_id=who.user_id,
        client_id=who.business.id,
        csrf=csrf_token_of(token),
        name=who.name or "",
        account=who.account,
        scopes=who.scopes,
        time_zone=who.business.time_zone,
        currency=who.business.currency,
        country=who.business.country,
        features=who.business.features & app.features,
        modules=who.business.modules,
        expires_at=who.token_expires_at,
        test=who.business.test,
        has_sample_data=who.business.has_sample_data,
    )


def csrf_token_of(token: str) -> str:
    """The CSRF token of a session. The bearer token cannot be derived from it."""
    return hmac.new(token.encode(), b"a form of the pages", hashlib.sha256).hexdigest()


def is_from_our_page(request: Request) -> bool:
    """Return True if the browser names our site as the sender, or no sender at all."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in {"same-origin", "none"}
    origin = request.headers.get("origin")
    hosts = {request.headers.get("host"), urlsplit(app_of(request).base_url).netloc}
    return origin is None or urlsplit(origin).netloc in hosts


def set_session_cookie(response: Response, app: Application, token: str, expires_at: datetime) -> None:
    """Set the cookie of a sign-in, for as long as the token is valid."""
    response.set_cookie(
        _cookie_name(app), token, expires=expires_at.astimezone(UTC), path="/", **_cookie_attributes(app)
    )


def delete_session_cookie(response: Response, app: Application) -> None:
    """Delete the cookie."""
    response.delete_cookie(_cookie_name(app), path="/", **_cookie_attributes(app))


def set_live_session_cookie(response: Response, app: Application, token: str, expires_at: datetime) -> None:
    """Set the cookie of the live session while the browser is in test mode."""
    response.set_cookie(
        _live_cookie_name(app), token, expires=expires_at.astimezone(UTC), path="/", **_cookie_attributes(app)
    )


def delete_live_session_cookie(response: Response, app: Application) -> None:
    """Delete the cookie of the live session."""
    response.delete_cookie(_live_cookie_name(app), path="/", **_cookie_attributes(app))


def local_path(path: Any) -> str | None:
    r"""Return a path on this host; None for `//host`, `/\host` or a scheme."""
    if not isinstance(path, str) or not path.startswith("/") or len(path) > 2000:
        return None
    strange = path[1:2] in {"/", "\\"} or "\\" in path or any(ord(sign) <= 32 or ord(sign) == 127 for sign in path)
    return None if strange else path


def app_of(request: Request) -> Application:
    """The application that the request came to."""
    app: Application = request.app.state.app
    return app


def _cookie_name(app: Application) -> str:
    return SECURE_SESSION_COOKIE if _is_https(app) else PLAIN_SESSION_COOKIE


def _live_cookie_name(app: Application) -> str:
    return SECURE_LIVE_COOKIE if _is_https(app) else PLAIN_LIVE_COOKIE


def _is_https(app: Application) -> bool:
    return app.base_url.startswith("https:")


def _cookie_attributes(app: Application) -> dict[str, Any]:
    return {"httponly": True, "secure": _is_https(app), "samesite": "lax"}
