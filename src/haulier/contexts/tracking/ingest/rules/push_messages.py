"""How the events of a document are parted into messages of a stream."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from haulier.contexts.tracking.ingest.rules.parsed import ParsedEvent, SubjectNames

MESSAGE_EVENTS = 50
"""Events in one message, unless they may not be parted."""
MESSAGE_BYTES = 750_000
"""Bytes of the events in one message; brokers take a megabyte unless they are told otherwise."""


def split_into_messages(events: Iterable[ParsedEvent]) -> Iterator[list[ParsedEvent]]:
    """Events in the portions in which they are sent; those of one subject in their order, and together where they fit.

    An event of several subjects is never parted, since it is added to all or none. One that is too large is left out.
    """
    message, size = list[ParsedEvent](), 0
    for part in _together(events):
        part_size = sum(len(msgspec.json.encode(event)) for event in part)
        if message and (len(message) + len(part) > MESSAGE_EVENTS or size + part_size > MESSAGE_BYTES):
            yield message
            message, size = [], 0
        if part_size <= MESSAGE_BYTES:
            message, size = [*message, *part], size + part_size
    if message:
        yield message


def _together(events: Iterable[ParsedEvent]) -> Iterator[Sequence[ParsedEvent]]:
    """What goes into one message: all of a subject where that is not too much, else each event of it."""
    by_path: dict[str, list[ParsedEvent]] = {}
    for event in events:
        by_path.setdefault(event.path, []).append(event)
    by_subject: dict[SubjectNames, list[list[ParsedEvent]]] = {}
    for whole in by_path.values():
        by_subject.setdefault(whole[0].subject, []).append(whole)
    for wholes in by_subject.values():
        together = [event for whole in wholes for event in whole]
        yield from [together] if len(together) <= MESSAGE_EVENTS else wholes
