"""Notices of changed subjects, delivered to the listeners in every process.

A notice names what changed without its content; listeners read it again. The payload is a space-separated list of
subjects, or `*` for all. Where listeners belong to one client, the subject includes it: `7:2026-06-10`.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator

EVERYTHING = "*"
"""Payload that names every subject."""
MAX_PAYLOAD_BYTES = 7_999
"""PostgreSQL limits payloads to less than 8,000 bytes."""
MAX_PAYLOADS = 8
"""Maximum number of payloads. Larger notices are sent as `*`."""
Hearer = Callable[[str], None]


def client_subject(client_id: int | None, subject: object) -> str:
    """Return a subject of one client as notices name it."""
    return f"{client_id}:{subject}"


def notice_payloads(subjects: Collection[str]) -> list[str]:
    """Return the fewest payloads that name these subjects, within PostgreSQL's limit."""
    if not subjects or EVERYTHING in subjects:
        return [EVERYTHING]
    payloads: list[str] = []
    room = 0
    for subject in subjects:
        size = len(subject.encode())
        if size > MAX_PAYLOAD_BYTES:
            return [EVERYTHING]
        if size + 1 > room:
            payloads.append(subject)
            room = MAX_PAYLOAD_BYTES - size
        else:
            payloads[-1] += f" {subject}"
            room -= size + 1
    return payloads if len(payloads) <= MAX_PAYLOADS else [EVERYTHING]


class Hearers:
    """The listeners of this process.

    A notice only costs the listeners of its subjects.
    """

    def __init__(self) -> None:
        self._of_all: defaultdict[str, list[Hearer]] = defaultdict(list)
        self._of_subject: defaultdict[str, dict[str, list[Hearer]]] = defaultdict(dict)

    @property
    def channels(self) -> Iterable[str]:
        """All channels that ever had a listener."""
        return tuple({**self._of_all, **self._of_subject})

    def add(self, channel: str, hear: Hearer, subject: str | None = None) -> Callable[[], None]:
        """Call `hear(payload)` for notices of a subject, or all of them.

        Returns a function that unsubscribes.
        """
        if subject is None:
            self._of_all[channel].append(hear)
            return lambda: self._of_all[channel].remove(hear)
        by_subject = self._of_subject[channel]
        by_subject.setdefault(subject, []).append(hear)

        def remove() -> None:
            by_subject[subject].remove(hear)
            if not by_subject[subject]:
                del by_subject[subject]

        return remove

    def tell(self, channel: str, payload: str) -> None:
        """Call the listeners of a notice."""
        for hear in (*self._of_all.get(channel, ()), *self._concerned(channel, payload)):
            hear(payload)

    def notify_all(self) -> None:
        """Notify all listeners of all channels that anything may have changed."""
        for channel in self.channels:
            self.tell(channel, EVERYTHING)

    def _concerned(self, channel: str, payload: str) -> Iterator[Hearer]:
        by_subject = self._of_subject.get(channel)
        if not by_subject:
            return
        subjects = by_subject if payload == EVERYTHING else payload.split(" ")
        for subject in subjects:
            yield from by_subject.get(subject, ())
