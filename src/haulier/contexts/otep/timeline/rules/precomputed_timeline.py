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

from haulier.contexts.otep.timeline.contract import Subject, Timeline, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import timeline_from_ordered
from haulier.contexts.otep.timeline.rules.public_view import DescribeStatus
from haulier.contexts.otep.vocabulary.rules import STATUS_CODES, TERMINAL_CODES

_PHASES = {row.code: row.phase for row in STATUS_CODES}
_encode = msgspec.json.Encoder().encode


class LastEventStatus(Struct, frozen=True):
    """As much of the last event as the status of a timeline depends on."""

    status_code: str
    phase: str
    late: bool = False


def is_precomputable(event: TrackingEvent) -> bool:
    """Whether a code tells all that the place of an event in a timeline depends on, besides its time."""
    return _PHASES.get(event.status_code) == event.phase and not event.late


def assemble_public_timeline(
    number: str,
    profile: str,
    instants: Sequence[str],
    codes: Sequence[str],
    shown: Sequence[str],
    describe: DescribeStatus,
) -> Timeline | None:
    """The public timeline of a number, with its events as written JSON; None where only the whole events can tell it.

    `instants` are texts that sort as time does; `shown` is what `split_public_fields` made of events that are plain.
    """
    if not shown or not all(shown) or len(set(instants)) < len(instants):
        return None
    ordered = sorted(zip(instants, codes, shown, strict=True))
    *before, last = [code for _, code, _ in ordered]
    if not TERMINAL_CODES.isdisjoint(before):
        return None
    words = _description_suffixes(describe)
    try:
        events = ",".join([document[:-1] + words[code] for _, code, document in ordered])
    except KeyError:  # a code that is no longer registered
        return None
    timeline = timeline_from_ordered(
        Subject(tracking_number=number), cast(Any, (LastEventStatus(last, _PHASES[last]),)), profile
    )
    return replace(timeline, events=Raw(f"[{events}]"))


@lru_cache(maxsize=64)
def _description_suffixes(describe: DescribeStatus) -> dict[str, str]:
    """How the document of an event of each code ends: with what it means in the reader's words."""
    said = {code: _encode({"description": describe(code, phase)}).decode() for code, phase in _PHASES.items()}
    return {code: "," + document[1:] for code, document in said.items()}
