"""Notices: which subjects of a channel changed, told to those who wait for them, in every process.

A notice names what changed and never carries it: who hears one reads again. Its payload is subjects with spaces between, or `*`
for all. A subject names its client, too, wherever hearers belong to one: `7:2026-06-10`.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator

EVERYTHING = "*"
"""The payload that names every subject."""
MAX_PAYLOAD_BYTES = 7_999
"""PostgreSQL refuses a payload of 8,000 bytes."""
MAX_PAYLOADS = 8
"""What changes more subjects at once than fit into so many payloads is told as `*`."""
Hearer = Callable[[str], None]


def client_subject(client_id: int | None, subject: object) -> str:
    """A subject of one client, as notices name it."""
    return f"{client_id}:{subject}"


def notice_payloads(subjects: Collection[str]) -> list[str]:
    """The fewest payloads that name these subjects, each short enough for PostgreSQL."""
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
    """Who waits for which subjects in this process. A notice costs only the hearers of the subjects that it names."""

    def __init__(self) -> None:
        self._of_all: defaultdict[str, list[Hearer]] = defaultdict(list)
        self._of_subject: defaultdict[str, dict[str, list[Hearer]]] = defaultdict(dict)

    @property
    def channels(self) -> Iterable[str]:
        """The channels that anybody ever waited on."""
        return tuple({**self._of_all, **self._of_subject})

    def add(self, channel: str, hear: Hearer, subject: str | None = None) -> Callable[[], None]:
        """Call `hear(payload)` for notices that name the subject; without one, for all. The function returned ends that."""
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
        """Call those whom a notice concerns."""
        for hear in (*self._of_all.get(channel, ()), *self._concerned(channel, payload)):
            hear(payload)

    def tell_everything(self) -> None:
        """Tell all hearers of all channels that anything may be different."""
        for channel in self.channels:
            self.tell(channel, EVERYTHING)

    def _concerned(self, channel: str, payload: str) -> Iterator[Hearer]:
        by_subject = self._of_subject.get(channel)
        if not by_subject:
            return
        subjects = by_subject if payload == EVERYTHING else payload.split(" ")
        for subject in subjects:
            yield from by_subject.get(subject, ())
