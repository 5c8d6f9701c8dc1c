"""HTTP clients for other servers. They share the trusted certificates: reading a few hundred takes 20 ms, which blocks the
event loop."""

import ssl
from functools import cache
from typing import TYPE_CHECKING, Any

from haulier.late_import import LateModule

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")


def open_client(
    *, certificates: ssl.SSLContext | None = None, trust_env: bool = True, **options: Any
) -> "httpx.AsyncClient":
    """A client for a few requests, with httpx's own parameters.

    `certificates` replace those that are trusted by default. Without `trust_env`, for addresses that strangers give, neither a
    proxy nor certificates of the environment are used.
    """
    return httpx.AsyncClient(
        verify=certificates or _default_ssl_context(trust_env=trust_env), trust_env=trust_env, **options
    )


@cache
def _default_ssl_context(*, trust_env: bool) -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=trust_env)
