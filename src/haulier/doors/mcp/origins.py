"""Which web pages may speak to a server of tools: our own, those on the same machine, and those that somebody connected.

A page can be made to reach a server that only its reader's machine reaches, by letting the page's own name point there (DNS
rebinding). A browser says where a page came from; programs say nothing, and pass. A page that came over https cannot be such
a one, because the server has no certificate for the page's name; it is let in with the token of an agent that a person
connected, which is all that it goes by, and without one it is told the way to it and nothing else.
"""

from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from haulier.kernel.loopback import LOOPBACK

EXPOSED = ("WWW-Authenticate", "Content-Language", "X-Request-Id", "Retry-After")
"""What a page may read of an answer besides its body."""


@lru_cache(maxsize=256)
def welcome(origin: str, base_url: str) -> bool:
    """Whether a page of this origin may as it comes."""
    asked, ours = _parts(origin), urlsplit(base_url)
    return asked is not None and (
        asked.hostname in LOOPBACK or (asked.scheme, asked.netloc) == (ours.scheme, ours.netloc)
    )


@lru_cache(maxsize=256)
def with_a_token(origin: str) -> bool:
    """Whether a page of this origin may with the token of a connected agent: one that came over https."""
    asked = _parts(origin)
    return asked is not None and asked.scheme == "https" and bool(asked.hostname) and "@" not in asked.netloc


def for_pages(app: ASGIApp) -> ASGIApp:
    """The same, and its answers may be read by a page. A browser sends nothing by itself here, neither cookie nor password."""
    return CORSMiddleware(app, ("*",), allow_methods=("POST",), allow_headers=("*",), expose_headers=EXPOSED)


def _parts(origin: str) -> SplitResult | None:
    try:
        return urlsplit(origin)
    except ValueError:
        return None
