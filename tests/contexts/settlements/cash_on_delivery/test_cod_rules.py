"""Totals of cash-on-delivery entries, and amounts that drivers may report."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from haulier.contexts.settlements.cash_on_delivery.rules import (
    CodEntryKind,
    CodMethod,
    CodPart,
    add_up,
    count_cash,
    interface_faults,
)
from haulier.kernel.values.money import Money

AMOUNTS = st.integers(min_value=1, max_value=10**12)
PARTS = st.lists(st.builds(CodPart, method=st.sampled_from(CodMethod), amount_minor=AMOUNTS), max_size=5)


class Entry(Struct, frozen=True):
    kind: str
    amount_minor: int


@given(st.lists(st.builds(Entry, st.sampled_from([kind.value for kind in CodEntryKind]), st.integers(-1000, 1000))))
def test_every_amount_due_is_collected_open_or_written_off(entries: list[Entry]) -> None:
    position = add_up(entries)
    assert position.due == position.collected + position.open + position.written_off


@given(due=AMOUNTS, parts=PARTS, reason=st.sampled_from([None, "Had no more."]))
def test_never_more_than_the_amount_due_is_collected_and_less_only_with_a_reason(
    due: int, parts: list[CodPart], reason: str | None
) -> None:
    taken = sum(part.amount_minor for part in parts)
    accepted = not list(interface_faults(Money(due, "CAD"), parts, reason))
    assert accepted == (taken == due or (taken < due and reason is not None))


@given(PARTS)
def test_no_cash_is_collected_when_none_is_due(parts: list[CodPart]) -> None:
    assert bool(list(interface_faults(None, parts, None))) == bool(parts)


@given(expected=st.integers(-(10**9), 10**9), counted=st.integers(0, 10**9))
def test_a_settling_count_leaves_no_cash_with_the_driver(expected: int, counted: int) -> None:
    entries = count_cash(expected, counted, settles=True)
    assert expected + entries.difference - entries.handed_in == 0
    assert count_cash(expected, counted, settles=False).difference == 0
