"""Public answers that were sent a moment ago, kept as bytes, so that a number everybody asks for costs no database.

Kept is only what anyone may keep anyway (`Cache-Control: public`), no longer than that, and until there is news of its
subject: a notice on the channel that its operation names, or, where processes share a file, any commit of anyone. Kept is
what is asked for a second time, because most numbers are not.
"""

import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from msgspec import Struct

from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.operations.declaration import Fingerprint, InvalidatedBy, Operation, Request

MAX_ENTRIES = 4096
"""So many answers are kept, those that were asked for last, and as many questions that were asked once."""
MAX_BODY_BYTES = 65_536
"""Bytes. A larger answer is not kept."""
CacheSubject = tuple[str, str]
"""A channel, and the value by which it names what there is news of."""
StoreCallback = Callable[[bytes], None]


class CachedResponse(Struct, frozen=True):
    """An answer as it was sent, and what tells whether it is still the same."""

    body: bytes
    headers: Mapping[str, str]
    fingerprint: Fingerprint
    subject: CacheSubject
    version: int
    until_s: float


class PendingEntry(Struct, frozen=True):
    """A question, and how things stood before its answer was read."""

    key: Hashable
    version: int
    notice_count: int


class ResponseCache:
    """The answers that one process keeps."""

    def __init__(self, database: Database, seconds: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self.seconds = seconds
        self._answers: OrderedDict[Hashable, CachedResponse] = OrderedDict()
        self._keys_by_subject: defaultdict[CacheSubject, set[Hashable]] = defaultdict(set)
        self._seen_once: OrderedDict[Hashable, None] = OrderedDict()
        self._channels: set[str] = set()
        self._notice_count = 0

    async def listen(self, operations: Iterable[Operation[Any, Any]], stack: AsyncExitStack) -> None:
        """Listen to the channels that operations name, until the stack is closed. Only then is anything kept."""
        for channel in {operation.invalidated_by.channel for operation in operations if operation.invalidated_by}:
            stack.callback(
                await self._database.listen(channel, lambda payload, of=channel: self.invalidate(of, payload))
            )
            stack.callback(self._channels.discard, channel)
            self._channels.add(channel)

    def get(self, key: Hashable) -> CachedResponse | None:
        """The answer to a question, if it was given a moment ago and there is no news since."""
        answer = self._answers.get(key)
        if answer is None:
            return None
        if answer.version != self._database.version() or answer.until_s < self.seconds():
            self._drop(key)
            return None
        self._answers.move_to_end(key)
        return answer

    def pending_entry(self, key: Hashable, operation: Operation[Any, Any]) -> PendingEntry | None:
        """What to remember before reading what may be kept, for news may come meanwhile; None where nothing will be kept."""
        if operation.invalidated_by is None or operation.invalidated_by.channel not in self._channels:
            return None
        if key in self._seen_once:
            return PendingEntry(key, self._database.version(), self._notice_count)
        self._seen_once[key] = None
        if len(self._seen_once) > MAX_ENTRIES:
            self._seen_once.popitem(last=False)
        return None

    def store_callback(
        self,
        pending_entry: PendingEntry,
        operation: Operation[Any, Any],
        request: Request,
        headers: Mapping[str, str],
        fingerprint: Fingerprint,
    ) -> StoreCallback:
        """What the door calls with the bytes that it sends."""
        invalidated_by: InvalidatedBy = operation.invalidated_by  # type: ignore[assignment]

        def store(body: bytes) -> None:
            if (
                len(body) > MAX_BODY_BYTES or self._notice_count != pending_entry.notice_count
            ):  # a version that is past, `find` notices
                return
            subject = invalidated_by.channel, str(getattr(request, invalidated_by.by))
            until_s = self.seconds() + operation.cache_s
            self._drop(pending_entry.key)
            self._answers[pending_entry.key] = CachedResponse(
                body, headers, fingerprint, subject, pending_entry.version, until_s
            )
            self._keys_by_subject[subject].add(pending_entry.key)
            if len(self._answers) > MAX_ENTRIES:
                self._drop(next(iter(self._answers)))

        return store

    def invalidate(self, channel: str, payload: str) -> None:
        """There is news of some subjects, or of any (`*`)."""
        self._notice_count += 1
        subjects = list(self._keys_by_subject) if payload == "*" else [(channel, value) for value in payload.split(" ")]
        for subject in subjects:
            for key in tuple(self._keys_by_subject.get(subject, ())):
                self._drop(key)

    def _drop(self, key: Hashable) -> None:
        answer = self._answers.pop(key, None)
        if answer:
            about = self._keys_by_subject[answer.subject]
            about.discard(key)
            if not about:
                del self._keys_by_subject[answer.subject]
