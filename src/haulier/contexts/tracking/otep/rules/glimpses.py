"""The public timeline from what each event showed of itself when it was recorded: put together, not made again.

So is nearly every timeline: where no two events share an instant, none comes after the end and none was taken back, their
times and codes alone decide.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from haulier.contexts.tracking.otep.model import Event, Subject, Timeline
from haulier.contexts.tracking.otep.rules.public import Describe
from haulier.contexts.tracking.otep.rules.timeline import told
from haulier.contexts.tracking.otep.vocabulary import TABLE, TERMINAL

_PHASES = {row.code: row.phase for row in TABLE}
_encode = msgspec.json.Encoder().encode


class Last(Struct, frozen=True):
    """As much of the last event as the status of a timeline depends on."""

    status_code: str
    phase: str
    late: bool = False


def is_plain(event: Event) -> bool:
    """Whether a code tells all that the place of an event in a timeline depends on, besides its time."""
    return _PHASES.get(event.status_code) == event.phase and not event.late


def assembled(
    number: str, profile: str, instants: Sequence[str], codes: Sequence[str], shown: Sequence[str], describe: Describe
) -> Timeline | None:
    """The public timeline of a number, with its events as written JSON; None where only the whole events can tell it.

    `instants` are texts that sort as time does; `shown` is what `public.apart` made of events that are plain.
    """
    if not shown or not all(shown) or len(set(instants)) < len(instants):
        return None
    ordered = sorted(zip(instants, codes, shown, strict=True))
    *before, last = [code for _, code, _ in ordered]
    if not TERMINAL.isdisjoint(before):
        return None
    words = _words(describe)
    try:
        events = ",".join([document[:-1] + words[code] for _, code, document in ordered])
    except KeyError:  # a code that is no longer registered
        return None
    timeline = told(Subject(tracking_number=number), cast(Any, (Last(last, _PHASES[last]),)), profile)
    return replace(timeline, events=Raw(f"[{events}]"))


@lru_cache(maxsize=64)
def _words(describe: Describe) -> dict[str, str]:
    """How the document of an event of each code ends: with what it means in the reader's words."""
    said = {code: _encode({"description": describe(code, phase)}).decode() for code, phase in _PHASES.items()}
    return {code: "," + document[1:] for code, document in said.items()}
