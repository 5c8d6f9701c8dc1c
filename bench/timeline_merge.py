"""Cost of merging a timeline from many sources, relative to one source.

Every source reports the whole journey of twelve events in its own words, with its own references and a clock that is
some minutes off. In the column `repeated`, the same journey arrives three times from each source, so two of three
events are duplicates. The cost per event may only grow as sorting does.

    python -m bench.timeline_merge
"""

import sys
from datetime import timedelta
from random import Random

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from bench.projections import JOURNEY_STEPS, best_us, make_event
from haulier.contexts.otep.timeline.contract import Source, Subject, TrackingEvent
from haulier.contexts.otep.timeline.rules.merge import build_timeline

SOURCES = (1, 2, 4, 8, 16, 32, 64)
MERGED_SUBJECT = Subject(tracking_number="HL7XK2M9QA")
MAX_GROWTH = 2.0
"""Maximum cost of an event among 64 sources relative to one source."""


def events_from_sources(sources: int, times: int = 1) -> list[TrackingEvent]:
    """Return the events of all sources, each repeated, in shuffled order."""
    said = [
        replace(
            event,
            event_id=f"{source}-{index}-{event.event_id}"[:40],
            occurred_at=event.occurred_at + timedelta(minutes=source),
            source=Source(type="carrier", name=f"Carrier {source}", reference=f"{source}-{index}"),
        )
        for source in range(sources)
        for index, event in enumerate(make_event(at, *JOURNEY_STEPS[at]) for at in range(len(JOURNEY_STEPS)))
    ]
    repeated = [
        replace(event, event_id=f"{event.event_id}/{copy}") if copy else event
        for copy in range(times)
        for event in said
    ]
    Random(7).shuffle(repeated)
    return repeated


def main() -> int:
    """Print the table; return 1 if an event among many sources costs too much."""
    table = Table("sources", "events", "us", "us an event", "of one source", "repeated: events", "us an event")
    alone = worst = 0.0
    for sources in SOURCES:
        once, again = events_from_sources(sources), events_from_sources(sources, times=3)
        fresh, copied = best_us(
            lambda once=once: build_timeline(MERGED_SUBJECT, once),
            lambda again=again: build_timeline(MERGED_SUBJECT, again),
        )
        each = fresh / len(once)
        alone = alone or each
        worst = max(worst, each / alone)
        cells = (
            sources,
            len(once),
            f"{fresh:.1f}",
            f"{each:.2f}",
            f"{each / alone:.2f}",
            len(again),
            f"{copied / len(again):.2f}",
        )
        table.add_row(*map(str, cells))
    Console().print(table)
    print(f"an event costs at most {worst:.2f} of what it costs from one source; the limit is {MAX_GROWTH:.1f}")
    return int(worst > MAX_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
