"""Reads whose answers are cached in memory per caller."""

from collections.abc import Hashable
from typing import Any

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.write_generations import ReadAt
from haulier.kernel.operations.caching import Cached
from haulier.kernel.operations.declaration import Request
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.principal import Principal

MAX_ASKED_BYTES = 8192
"""Answers to longer requests are not cached."""


class CallerCachedRead:
    """One call of an operation with `cached` by an authorised caller."""

    def __init__(
        self,
        app: Application,
        incoming: OperationRequest,
        result: OperationResult,
        principal: Principal,
        cached: Cached,
    ) -> None:
        self._answers = app.read_cache
        self._now = app.clock()
        self._incoming = incoming
        self._result = result
        self._principal = principal
        self._cached = cached
        self._key = self._question()
        self._read_at: ReadAt | None = None

    def answer_from_memory(self) -> bool:
        """Answer from the cache and return True, if the answer is cached."""
        business = self._principal.business
        if self._key is None or business is None:
            return False
        stored = self._answers.get(self._key, self._now)
        if stored is None:
            self._read_at = self._answers.before_read(self._key, business.id)
            return False
        self._result.headers, self._result.cached_body = stored.headers, stored.body
        return True

    def after(self, call: Call, request: Request) -> None:
        """Have the answer cached, unless it depends on time or unannounced writes."""
        if self._read_at is None or self._key is None:
            return
        if call.work.reads_beyond or self._cached.moment_matters(request):
            return
        self._result.store = self._answers.store_callback(
            self._key,
            self._read_at,
            call.headers,
            self._now,
            asked_bytes=len(self._incoming.body),
            with_shared=call.work.reads_shared,
        )

    def _question(self) -> Hashable | None:
        """Return the cache key of the request, or None if it is not cacheable.

        It includes the caller with all rights, so a change of rights invalidates the cached answers.
        """
        incoming, principal = self._incoming, self._principal
        if incoming.interface != "rest" or incoming.dry_run or incoming.foreign or len(incoming.body) > MAX_ASKED_BYTES:
            return None
        if principal.account not in self._cached.accounts:
            return None
        texts = tuple((name, _hashable(text)) for name, text in incoming.texts.items())
        return principal, incoming.operation.name, self._result.language, incoming.body_field, incoming.body, texts


def _hashable(text: Any) -> Hashable:
    return tuple(text) if isinstance(text, list) else text
