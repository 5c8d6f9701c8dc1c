"""Origin policy for web pages that call an MCP server.

DNS rebinding can let a page reach a server on its reader's private network. Browsers send the origin of a page; other
programs send none and are allowed. The base URL's own pages and pages on the same machine are trusted.

An https page can't use DNS rebinding, because the server has no certificate for the page's host name. It may call with
the token of a connected agent. Without a token it only gets an authentication challenge.
"""

from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from haulier.kernel.values.loopback import LOOPBACK_HOSTS

EXPOSED_HEADERS = ("WWW-Authenticate", "Content-Language", "X-Request-Id", "Retry-After")
"""Response headers that pages can read."""


@lru_cache(maxsize=256)
def is_trusted_origin(origin: str, base_url: str) -> bool:
    """Return True if a page of this origin may call without a token."""
    origin_parts, ours = _split_origin(origin), urlsplit(base_url)
    return origin_parts is not None and (
        origin_parts.hostname in LOOPBACK_HOSTS
        or (origin_parts.scheme, origin_parts.netloc) == (ours.scheme, ours.netloc)
    )


@lru_cache(maxsize=256)
def is_allowed_with_token(origin: str) -> bool:
    """Return True if a page may call with the token of a connected agent.

    The page must use https.
    """
    origin_parts = _split_origin(origin)
    return (
        origin_parts is not None
        and origin_parts.scheme == "https"
        and bool(origin_parts.hostname)
        and "@" not in origin_parts.netloc
    )


def allow_page_origins(app: ASGIApp) -> ASGIApp:
    """Let pages of any origin read the answers of an app.

    Browsers send no cookies or passwords with these requests.
    """
    return CORSMiddleware(app, ("*",), allow_methods=("POST",), allow_headers=("*",), expose_headers=EXPOSED_HEADERS)


def _split_origin(origin: str) -> SplitResult | None:
    try:
        return urlsplit(origin)
    except ValueError:
        return None
