"""Record of acknowledgements, to verify database and streams afterwards."""

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Ledger:
    """Every acknowledgement of a run, and what each reader and stream received."""

    orders: list[str] = field(default_factory=list)
    """References of acknowledged orders, in the order of acknowledgement."""
    events: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """By tracking number: ids of acknowledged events with their monotonic time."""
    streams: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By stream: how often it received each event."""
    stream_numbers: dict[str, str] = field(default_factory=dict)
    """By stream: the tracking number it follows."""
    statuses: Counter[str] = field(default_factory=Counter)
    """Outcomes of calls: `200`, or a status and a code."""
    ages_s: list[float] = field(default_factory=list)
    """Staleness of public responses: age of the oldest acknowledged event that was missing, at the time of the request.
    """
    old_lists: int = 0
    """Lists without an order that was acknowledged before the request."""
    lists: int = 0

    def acknowledge_event(self, number: str, event_id: str) -> None:
        """Record an acknowledged event."""
        self.events[number].setdefault(event_id, time.monotonic())

    def age_of(self, number: str, seen: set[str], asked_at: float) -> float:
        """Return the staleness of a response with these events, requested at a time."""
        missing = [at for id, at in self.events[number].items() if id not in seen and at < asked_at]
        return asked_at - min(missing) if missing else 0.0

    def stream_faults(self) -> dict[str, int]:
        """Return the number of events missing from streams, and sent more than once."""
        lost = doubled = 0
        for stream, seen in self.streams.items():
            lost += len(self.events[self.stream_numbers[stream]].keys() - seen.keys())
            doubled += sum(count > 1 for count in seen.values())
        return {"lost": lost, "doubled": doubled}
