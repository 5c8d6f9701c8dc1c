"""Declarations of caching: validators, invalidation and answers cached in memory."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.kernel.operations.enums import Account


class Fingerprint(Struct, frozen=True):
    """Version of an answer: a tag that changes with the data, and the last change."""

    tag: str
    modified: datetime | None = None


class InvalidatedBy(Struct, frozen=True):
    """Invalidation of a cached answer by notices on a database channel.

    A notice names values of the request's field `by`, separated by spaces, or is `*` for all. Every write that
    changes the answer must send one. `notice_value` converts the caller's value to the form in notices. `kept_for`
    lists further account kinds whose answers depend only on the caller and on announced data.
    """

    channel: str
    by: str
    notice_value: Callable[[str], str] = str
    kept_for: frozenset[Account] = frozenset()


def _never(_: Any) -> bool:
    return False


class Cached(Struct, frozen=True):
    """Caching of a read in memory per caller, until data of their client is written.

    `accounts` are those whose answers depend only on their client's rows, shared rows and the request. An answer may
    be a few seconds old (`CACHED_FOR`), unless `moment_matters(request)` is true.
    """

    accounts: frozenset[Account]
    moment_matters: Callable[[Any], bool] = _never


class Http(Struct, frozen=True, kw_only=True):
    """HTTP caching of a read.

    `fingerprint(call, request)` is a cheap way to detect that the caller's answer is current. `cache_s` is how long
    caches may store the public answer. With `invalidated_by`, REST answers to the public and to the accounts named
    there are also cached in memory, for up to `cache_s` and until a notice.
    """

    fingerprint: Callable[[Any, Any], Awaitable[Fingerprint | None]]
    cache_s: int = 0
    invalidated_by: InvalidatedBy | None = None
