"""Which web pages may speak to a server of tools: our own, those on the same machine, and those that somebody connected.

A page can be made to reach a server that only its reader's machine reaches, by letting the page's own name point there (DNS
rebinding). A browser sends the origin of a page; programs send none and pass. A page that came over https cannot be such
a one, because the server has no certificate for the page's name; it is let in with the token of an agent that a person
connected, which is all that it goes by, and without one it is told the way to it and nothing else.
"""

from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from haulier.kernel.values.loopback import LOOPBACK_HOSTS

EXPOSED_HEADERS = ("WWW-Authenticate", "Content-Language", "X-Request-Id", "Retry-After")
"""What a page may read of an answer besides its body."""


@lru_cache(maxsize=256)
def is_trusted_origin(origin: str, base_url: str) -> bool:
    """Whether a page of this origin may call without a token."""
    origin_parts, ours = _split_origin(origin), urlsplit(base_url)
    return origin_parts is not None and (
        origin_parts.hostname in LOOPBACK_HOSTS
        or (origin_parts.scheme, origin_parts.netloc) == (ours.scheme, ours.netloc)
    )


@lru_cache(maxsize=256)
def is_allowed_with_token(origin: str) -> bool:
    """Whether a page of this origin may call with the token of a connected agent: it must be an https page."""
    origin_parts = _split_origin(origin)
    return (
        origin_parts is not None
        and origin_parts.scheme == "https"
        and bool(origin_parts.hostname)
        and "@" not in origin_parts.netloc
    )


def allow_page_origins(app: ASGIApp) -> ASGIApp:
    """The same, and its answers may be read by a page. A browser sends nothing by itself here, neither cookie nor password."""
    return CORSMiddleware(app, ("*",), allow_methods=("POST",), allow_headers=("*",), expose_headers=EXPOSED_HEADERS)


def _split_origin(origin: str) -> SplitResult | None:
    try:
        return urlsplit(origin)
    except ValueError:
        return None
