"""What it costs to make one timeline of more and more sources, relative to one source in the same run.

Every source tells the whole journey of twelve events in its own words: its own references, its clock some minutes off. The
column `told again` is the same journey arriving three times from each source, so that two of three events are copies. The cost
of an event may grow only as sorting does.

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
"""An event among 64 sources may cost so many times what it costs among those of one."""


def events_from_sources(sources: int, times: int = 1) -> list[TrackingEvent]:
    """Everything that so many sources tell, each so many times, in the order of no source."""
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
    told = [
        replace(event, event_id=f"{event.event_id}/{copy}") if copy else event
        for copy in range(times)
        for event in said
    ]
    Random(7).shuffle(told)
    return told


def main() -> int:
    """Print the table; 1 when an event among many sources costs too much."""
    table = Table("sources", "events", "us", "us an event", "of one source", "told again: events", "us an event")
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
