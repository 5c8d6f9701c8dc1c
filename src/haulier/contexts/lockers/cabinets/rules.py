"""Counts of compartments by use, and peaks by day."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import pairwise
from typing import Protocol

from haulier.contexts.lockers.cabinets.contract import LockerDay, LockerUse
from haulier.contexts.lockers.sites.rules import BoxUse


class LockerStay(Protocol):
    """The time for which a parcel takes a compartment."""

    @property
    def reserved_at(self) -> datetime: ...
    @property
    def deposited_at(self) -> datetime | None: ...
    @property
    def ended_at(self) -> datetime | None: ...


def count_uses(uses: Iterable[BoxUse]) -> LockerUse:
    """Count compartments by their use."""
    counts = dict.fromkeys(BoxUse, 0)
    for each in uses:
        counts[each] += 1
    return LockerUse(boxes=sum(counts.values()), **{use.value: count for use, count in counts.items()})


def days_of_stays(stays: Sequence[LockerStay], first: date, last: date, zone: tzinfo) -> list[LockerDay]:
    """Return peak, deposits and removals of each day."""
    days = [first + timedelta(days=at) for at in range((last - first).days + 1)]
    peaks = _peaks(stays, [datetime.combine(day, time(), zone) for day in [*days, last + timedelta(days=1)]])
    put_in = [each.deposited_at.astimezone(zone).date() for each in stays if each.deposited_at]
    # Cancelled reservations end without anything inside.
    out = [each.ended_at.astimezone(zone).date() for each in stays if each.ended_at and each.deposited_at]
    return [
        LockerDay(day=day, peak=peak, deposited=put_in.count(day), taken_out=out.count(day))
        for day, peak in zip(days, peaks, strict=True)
    ]


def _peaks(stays: Sequence[LockerStay], bounds: Sequence[datetime]) -> list[int]:
    """Return the most stays at the same time between each two bounds."""
    begun = [(each.reserved_at, 1) for each in stays]
    changes = sorted(begun + [(each.ended_at, -1) for each in stays if each.ended_at])
    peaks: list[int] = []
    taken = at = 0
    for begins, ends in pairwise(bounds):
        while at < len(changes) and changes[at][0] <= begins:
            taken, at = taken + changes[at][1], at + 1
        peak = taken
        while at < len(changes) and changes[at][0] < ends:
            taken, at = taken + changes[at][1], at + 1
            peak = max(peak, taken)
        peaks.append(peak)
    return peaks
