"""Answers to callers with an account, kept as bytes until something of their client is written.

Lists and orders are asked for again and again while nothing happens. Any write of a client may change any of its answers, so
each write makes all of them old (`WriteGenerations`): coarse, and right without anybody having to name what changed. An answer
is kept when it is asked for a second time, because most are asked for once.
"""

from collections.abc import Callable, Hashable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.kernel.data.write_generations import ReadAt, WriteGenerations
from haulier.kernel.http.answer_store import MAX_BODY_BYTES, AnswerStore

KEPT_FOR = timedelta(seconds=5)
"""How long an answer is kept at most. A notice is lost with a node that dies within milliseconds of its commit."""


class KeptBody(Struct, frozen=True):
    """An answer as it was sent, and what is needed to tell whether it is still true."""

    body: bytes
    headers: Mapping[str, str]
    read_at: ReadAt
    with_shared: bool
    """Whether it was read from rows that belong to no client, too."""
    at: datetime


class KeptAnswers:
    """The answers that one process keeps for callers with an account."""

    def __init__(self, writes: WriteGenerations) -> None:
        self.writes = writes
        self._answers: AnswerStore[KeptBody] = AnswerStore()

    def get(self, key: Hashable, now: datetime) -> KeptBody | None:
        """The kept answer, unless it is too old or something was written since."""
        answer = self._answers.get(key)
        if answer is None:
            return None
        is_young = timedelta() <= now - answer.at < KEPT_FOR
        if not is_young or not self.writes.is_current(answer.read_at, with_shared=answer.with_shared):
            self._answers.drop(key)
            return None
        self._answers.touch(key)
        return answer

    def before_read(self, key: Hashable, client_id: int) -> ReadAt | None:
        """To be asked for before an answer is read; None where it will not be kept: it is asked for the first time."""
        return self.writes.now(client_id) if self._answers.is_asked_again(key) else None

    def keeper(
        self,
        key: Hashable,
        read_at: ReadAt,
        headers: Mapping[str, str],
        now: datetime,
        *,
        asked_bytes: int,
        with_shared: bool,
    ) -> Callable[[bytes], None]:
        """What the door calls with the bytes that it sends."""

        def keep(body: bytes) -> None:
            if len(body) > MAX_BODY_BYTES or not self.writes.is_current(read_at, with_shared=with_shared):
                return
            self._answers.put(key, KeptBody(body, headers, read_at, with_shared, now), len(body) + asked_bytes)

        return keep
