"""What an operation declares of HTTP caching: how to tell that an answer changed, and which answers are kept in memory."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.kernel.operations.enums import Account


class Fingerprint(Struct, frozen=True):
    """What tells whether an answer is still the same: a tag that changes with the data, and when that was last changed."""

    tag: str
    modified: datetime | None = None


class InvalidatedBy(Struct, frozen=True):
    """What invalidates a stored answer: a notice on a channel of the database that names its value of the request's field `by`.

    A payload is values with spaces between, or `*` for any. Whoever changes the answer must give notice. `notice_value` makes
    of what a caller wrote the value as notices write it. `kept_for` are the accounts besides the public whose answers depend
    on nothing but themselves and what gives notice.
    """

    channel: str
    by: str
    notice_value: Callable[[str], str] = str
    kept_for: frozenset[Account] = frozenset()


def _never(_: Any) -> bool:
    return False


class Kept(Struct, frozen=True):
    """That the answers of a read are kept in memory for each caller, until anything of their client is written.

    `accounts` are those whose answers depend on nothing but their client's rows, shared ones, and what they ask. An answer
    may be some seconds older than the clock (`KEPT_FOR`); `moment_matters(request)` says of what is asked that it may not.
    """

    accounts: frozenset[Account]
    moment_matters: Callable[[Any], bool] = _never


class Http(Struct, frozen=True, kw_only=True):
    """How HTTP caching saves callers of a read a new answer.

    `fingerprint(call, request)` tells cheaply whether the answer changed, so that a caller who has it is spared it. `cache_s`
    is for how many seconds anybody may keep the answer that is given to the public. With `invalidated_by` the answer of a REST
    door to the public, and to each caller of the accounts that it names, is also kept in memory, for up to `cache_s` and until
    a notice.
    """

    fingerprint: Callable[[Any, Any], Awaitable[Fingerprint | None]]
    cache_s: int = 0
    invalidated_by: InvalidatedBy | None = None
