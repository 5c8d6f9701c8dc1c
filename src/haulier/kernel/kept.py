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

from haulier.kernel.data.work import Database
from haulier.kernel.operation import Fingerprint, Heard, Operation, Request

MOST = 4096
"""So many answers are kept, those that were asked for last, and as many questions that were asked once."""
LARGEST = 65_536
"""Bytes. A larger answer is not kept."""
Subject = tuple[str, str]
"""A channel, and the value by which it names what there is news of."""
Keep = Callable[[bytes], None]


class Answered(Struct, frozen=True):
    """An answer as it was sent, and what tells whether it is still the same."""

    body: bytes
    headers: Mapping[str, str]
    found: Fingerprint
    subject: Subject
    version: int
    until_s: float


class Noted(Struct, frozen=True):
    """A question, and how things stood before its answer was read."""

    asked: Hashable
    version: int
    news: int


class Kept:
    """The answers that one process keeps."""

    def __init__(self, database: Database, seconds: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self.seconds = seconds
        self._answers: OrderedDict[Hashable, Answered] = OrderedDict()
        self._about: defaultdict[Subject, set[Hashable]] = defaultdict(set)
        self._once: OrderedDict[Hashable, None] = OrderedDict()
        self._channels: set[str] = set()
        self._news = 0

    async def hear(self, operations: Iterable[Operation[Any, Any]], stack: AsyncExitStack) -> None:
        """Listen to the channels that operations name, until the stack is closed. Only then is anything kept."""
        for channel in {operation.heard.channel for operation in operations if operation.heard}:
            stack.callback(await self._database.listen(channel, lambda payload, of=channel: self.forget(of, payload)))
            stack.callback(self._channels.discard, channel)
            self._channels.add(channel)

    def find(self, asked: Hashable) -> Answered | None:
        """The answer to a question, if it was given a moment ago and there is no news since."""
        answer = self._answers.get(asked)
        if answer is None:
            return None
        if answer.version != self._database.version() or answer.until_s < self.seconds():
            self._drop(asked)
            return None
        self._answers.move_to_end(asked)
        return answer

    def noted(self, asked: Hashable, operation: Operation[Any, Any]) -> Noted | None:
        """What to remember before reading what may be kept, for news may come meanwhile; None where nothing will be kept."""
        if operation.heard is None or operation.heard.channel not in self._channels:
            return None
        if asked in self._once:
            return Noted(asked, self._database.version(), self._news)
        self._once[asked] = None
        if len(self._once) > MOST:
            self._once.popitem(last=False)
        return None

    def keeper(
        self,
        noted: Noted,
        operation: Operation[Any, Any],
        request: Request,
        headers: Mapping[str, str],
        found: Fingerprint,
    ) -> Keep:
        """What the door calls with the bytes that it sends."""
        heard: Heard = operation.heard  # type: ignore[assignment]

        def keep(body: bytes) -> None:
            if len(body) > LARGEST or self._news != noted.news:  # a version that is past, `find` notices
                return
            subject = heard.channel, str(getattr(request, heard.by))
            until_s = self.seconds() + operation.cache_s
            self._drop(noted.asked)
            self._answers[noted.asked] = Answered(body, headers, found, subject, noted.version, until_s)
            self._about[subject].add(noted.asked)
            if len(self._answers) > MOST:
                self._drop(next(iter(self._answers)))

        return keep

    def forget(self, channel: str, payload: str) -> None:
        """There is news of some subjects, or of any (`*`)."""
        self._news += 1
        subjects = list(self._about) if payload == "*" else [(channel, value) for value in payload.split(" ")]
        for subject in subjects:
            for asked in tuple(self._about.get(subject, ())):
                self._drop(asked)

    def _drop(self, asked: Hashable) -> None:
        answer = self._answers.pop(asked, None)
        if answer:
            about = self._about[answer.subject]
            about.discard(asked)
            if not about:
                del self._about[answer.subject]
