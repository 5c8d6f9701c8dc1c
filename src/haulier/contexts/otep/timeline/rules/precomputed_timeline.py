"""The public timeline, assembled from the public part that was encoded of each event when it was recorded.

This works for nearly every timeline: where no two events share an instant, none comes after a terminal one and none is
voided, times and codes alone decide the order and the status (docs/decisions/0018-what-an-event-shows.md).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from haulier.contexts.otep.timeline.contract import Subject, Timeline, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import timeline_from_ordered
from haulier.contexts.otep.timeline.rules.outcomes import is_plain
from haulier.contexts.otep.timeline.rules.public_view import DescribeStatus
from haulier.contexts.otep.vocabulary.rules import PHASES_BY_CODE, TERMINAL_CODES

_encode = msgspec.json.Encoder().encode


class LastEventStatus(Struct, frozen=True):
    """The fields of the last event that the status of a timeline depends on."""

    status_code: str
    phase: str
    late: bool = False


def is_precomputable(event: TrackingEvent) -> bool:
    """Return True if the place and the description of an event depend on nothing but its time and code."""
    described = not event.outcome or is_plain(event.outcome)
    return PHASES_BY_CODE.get(event.status_code) == event.phase and not event.late and described


def assemble_public_timeline(
    number: str,
    profile: str,
    instants: Sequence[str],
    codes: Sequence[str],
    public_texts: Sequence[str],
    describe: DescribeStatus,
) -> Timeline | None:
    """The public timeline of a number, with its events as written JSON; None where the whole events are needed.

    `instants` are texts that sort as time does; `public_texts` is what `split_public_fields` made of precomputable events.
    No two events are copies of one: each was recorded under an id made of its source's reference, or of its content.
    """
    if not public_texts or not all(public_texts) or len(set(instants)) < len(instants):
        return None
    ordered = sorted(zip(instants, codes, public_texts, strict=True))
    *before, last = [code for _, code, _ in ordered]
    if not TERMINAL_CODES.isdisjoint(before):
        return None
    suffixes = _description_suffixes(describe)
    try:
        events = ",".join([document[:-1] + suffixes[code] for _, code, document in ordered])
    except KeyError:  # a code that is no longer registered
        return None
    timeline = timeline_from_ordered(
        Subject(tracking_number=number), cast(Any, (LastEventStatus(last, PHASES_BY_CODE[last]),)), profile
    )
    return replace(timeline, events=Raw(f"[{events}]"))


@lru_cache(maxsize=64)
def _description_suffixes(describe: DescribeStatus) -> dict[str, str]:
    """The end of the JSON of an event of each code: its description in the reader's language."""
    descriptions = {
        code: _encode({"description": describe(code, phase)}).decode() for code, phase in PHASES_BY_CODE.items()
    }
    return {code: "," + document[1:] for code, document in descriptions.items()}
