"""What callers were told, so that afterwards the database and every stream can be held to it."""

import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Ledger:
    """Every acknowledgement of a run, and what each reader and stream saw."""

    orders: list[str] = field(default_factory=list)
    """References of the orders whose creation was acknowledged, in that order."""
    events: defaultdict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """By tracking number: the ids of acknowledged events and when that was (monotonic seconds)."""
    streams: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """By stream: how often it saw the event of each id."""
    stream_numbers: dict[str, str] = field(default_factory=dict)
    """By stream: the tracking number it follows."""
    statuses: Counter[str] = field(default_factory=Counter)
    """How calls ended: `200`, or a status and a code."""
    ages_s: list[float] = field(default_factory=list)
    """Of every public answer: for how long something that it lacks had been acknowledged when it was asked for."""
    old_lists: int = 0
    """Lists that lacked an order whose creation had been acknowledged before they were asked for."""
    lists: int = 0

    def acknowledge_event(self, number: str, event_id: str) -> None:
        """An event was taken."""
        self.events[number].setdefault(event_id, time.monotonic())

    def age_of(self, number: str, seen: set[str], asked_at: float) -> float:
        """How old an answer is that shows these events and was asked for at a moment."""
        missing = [at for id, at in self.events[number].items() if id not in seen and at < asked_at]
        return asked_at - min(missing) if missing else 0.0

    def stream_faults(self) -> dict[str, int]:
        """How many events streams lack, and how many they were sent more than once."""
        lost = doubled = 0
        for stream, seen in self.streams.items():
            lost += len(self.events[self.stream_numbers[stream]].keys() - seen.keys())
            doubled += sum(count > 1 for count in seen.values())
        return {"lost": lost, "doubled": doubled}
