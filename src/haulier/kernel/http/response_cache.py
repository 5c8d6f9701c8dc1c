"""Answers that were sent recently, kept as bytes, so that a popular timeline costs no database access.

Kept are answers to the public, and to callers of the accounts that an operation names, each for that caller alone: no longer
than anyone may keep the public one, and until their subject changes: a notice on the channel that the operation names, or,
where processes share a file, any commit. An answer is kept when it is asked for a second time, because most are asked for once.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from msgspec import Struct

from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.http.answer_store import MAX_BODY_BYTES, AnswerStore
from haulier.kernel.operations.caching import Fingerprint, Http, InvalidatedBy
from haulier.kernel.operations.declaration import Operation, Request

CacheSubject = tuple[str, str]
"""A channel, and the value by which its notices name what changed."""
StoreCallback = Callable[[bytes], None]


class CachedResponse(Struct, frozen=True):
    """An answer as it was sent, and what is needed to tell whether it is still valid."""

    body: bytes
    headers: Mapping[str, str]
    fingerprint: Fingerprint
    subject: CacheSubject
    version: int
    until_s: float


class PendingEntry(Struct, frozen=True):
    """The key of an answer that is about to be read, and the state of the cache before that."""

    key: Hashable
    version: int
    notice_count: int


class ResponseCache:
    """The answers that one process keeps."""

    def __init__(self, database: Database, seconds: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self.seconds = seconds
        self._answers: AnswerStore[CachedResponse] = AnswerStore(self._forget_subject)
        self._keys_by_subject: defaultdict[CacheSubject, set[Hashable]] = defaultdict(set)
        self._channels: set[str] = set()
        self._notice_count = 0

    async def listen(self, operations: Iterable[Operation[Any, Any]], stack: AsyncExitStack) -> None:
        """Listen to the channels that operations name, until the stack is closed. Nothing is kept before."""
        cached = [operation.http for operation in operations if operation.http]
        for channel in {http.invalidated_by.channel for http in cached if http.invalidated_by}:
            stack.callback(
                await self._database.listen(channel, lambda payload, of=channel: self.invalidate(of, payload))
            )
            stack.callback(self._channels.discard, channel)
            self._channels.add(channel)

    def get(self, key: Hashable) -> CachedResponse | None:
        """The stored answer, unless it is too old or something changed since."""
        answer = self._answers.get(key)
        if answer is None:
            return None
        if answer.version != self._database.version() or answer.until_s < self.seconds():
            self._answers.drop(key)
            return None
        self._answers.touch(key)
        return answer

    def pending_entry(self, key: Hashable, invalidated_by: InvalidatedBy) -> PendingEntry | None:
        """The cache's state before an answer is read, as a notice may come meanwhile; None where nothing will be stored."""
        if invalidated_by.channel not in self._channels:
            return None
        if not self._answers.is_asked_again(key):
            return None
        return PendingEntry(key, self._database.version(), self._notice_count)

    def store_callback(
        self, pending: PendingEntry, http: Http, request: Request, headers: Mapping[str, str], fingerprint: Fingerprint
    ) -> StoreCallback:
        """What the door calls with the bytes that it sends. `http` must have an `invalidated_by`."""
        invalidated_by: InvalidatedBy = http.invalidated_by  # type: ignore[assignment]

        def store(body: bytes) -> None:
            # A version that is past is not checked here: `get` compares it with the database's.
            if len(body) > MAX_BODY_BYTES or self._notice_count != pending.notice_count:
                return
            value = invalidated_by.notice_value(str(getattr(request, invalidated_by.by)))
            subject = invalidated_by.channel, value
            until_s = self.seconds() + http.cache_s
            self._answers.drop(pending.key)  # it may be about another subject
            self._keys_by_subject[subject].add(pending.key)
            kept = CachedResponse(body, headers, fingerprint, subject, pending.version, until_s)
            self._answers.put(pending.key, kept, len(body))

        return store

    def invalidate(self, channel: str, payload: str) -> None:
        """Remove the answers about some subjects, or all of them (`*`)."""
        self._notice_count += 1
        subjects = list(self._keys_by_subject) if payload == "*" else [(channel, value) for value in payload.split(" ")]
        for subject in subjects:
            for key in tuple(self._keys_by_subject.get(subject, ())):
                self._answers.drop(key)

    def _forget_subject(self, key: Hashable, answer: CachedResponse) -> None:
        about = self._keys_by_subject[answer.subject]
        about.discard(key)
        if not about:
            del self._keys_by_subject[answer.subject]
