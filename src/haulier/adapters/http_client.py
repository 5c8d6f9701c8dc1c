"""Clients to ask other servers with. They share whom they believe: reading a few hundred certificates takes 20 ms, in which
nobody is served."""

import ssl
from functools import cache
from typing import Any

import httpx


def open_client(
    *, certificates: ssl.SSLContext | None = None, trust_env: bool = True, **options: Any
) -> httpx.AsyncClient:
    """A client for a few questions, with httpx's own parameters.

    `believing` are other certificates than those that the world believes. Without `trust_env` neither a proxy nor certificates
    of the environment count: for addresses that strangers give.
    """
    return httpx.AsyncClient(
        verify=certificates or _default_ssl_context(trust_env=trust_env), trust_env=trust_env, **options
    )


@cache
def _default_ssl_context(*, trust_env: bool) -> ssl.SSLContext:
    return httpx.create_ssl_context(trust_env=trust_env)
