"""HTTP clients with shared trusted certificates.

Reading the certificates takes 20 ms, which would block the event loop for every client.
"""

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
    """Return a short-lived client. `options` are passed to httpx.

    `certificates` replaces the certificates that are trusted by default. Disable `trust_env` for untrusted URLs: the proxy
    and certificates of the environment are then ignored.
    """
    return httpx.AsyncClient(
        verify=certificates or _default_ssl_context(trust_env=trust_env), trust_env=trust_env, **options
    )


@cache
def _default_ssl_context(*, trust_env: bool) -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=trust_env)
