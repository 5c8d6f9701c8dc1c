"""What a posted timeline tells as a whole: its codes, its order, its end, and whether its summary agrees."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, NamedTuple

from haulier.contexts.tracking.otep.model import Subject
from haulier.contexts.tracking.otep.rules.checks import read_time
from haulier.contexts.tracking.otep.rules.findings import Finding, found, shown
from haulier.contexts.tracking.otep.rules.parsing import made_id
from haulier.contexts.tracking.otep.rules.transitions import Step, row_of, step
from haulier.contexts.tracking.otep.vocabulary import (
    RANK,
    TABLE,
    Phase,
    StatusCode,
    is_experimental,
    resolve,
)

IDENTIFIERS = Subject.__struct_fields__
"""What a subject can be known by."""

_CODES = {row.code: row for row in TABLE}
_NEVER = datetime.min.replace(tzinfo=UTC)


class Told(NamedTuple):
    """An event of the document that can be read: when and what, and by which names it is known.

    What does not say when it was recorded was known before everything else.
    """

    path: str
    document: dict[str, Any]
    at: datetime
    recorded_at: datetime
    row: StatusCode
    names: tuple[Any, ...]

    @property
    def place(self) -> tuple[Any, ...]:
        """Its place in a timeline, as `identity.place` has it."""
        return self.at, RANK[self.row.phase], self.recorded_at, self.names[0]


def told(events: Sequence[Any], profile: str) -> list[Told]:
    """The events whose time and code can be read."""
    read: list[Told] = []
    for index, event in enumerate(events):
        if isinstance(event, dict) and (at := read_time(event.get("occurred_at"))):
            code, phase = event.get("status_code"), event.get("phase")
            if isinstance(code, str) and (resolve(code, profile) or is_experimental(code)):
                row = row_of(code, phase if isinstance(phase, str) else "", profile)
                known = read_time(event.get("recorded_at")) or _NEVER
                read.append(Told(f"$.events[{index}]", event, at, known, row, _names(event, row.code, at)))
    return read


def _names(event: dict[str, Any], code: str, at: datetime) -> tuple[Any, ...]:
    """What identifies an event, its id first: two events that share a name are one."""
    source = event.get("source")
    said = source if isinstance(source, dict) else {}
    type, name, reference = (
        each if isinstance(each := said.get(key), str) else "" for key in ("type", "name", "reference")
    )
    id = event.get("event_id")
    known = id if isinstance(id, str) and id else made_id(code, at, type, name, reference)
    return known, (at, code, type, name), *([(type, name, reference)] if reference else [])


def codes(event: dict[str, Any], path: str, profile: str) -> Iterator[Finding]:
    """Whether an event's code is of the profile, and its phase the code's."""
    code, phase = event.get("status_code"), event.get("phase")
    if not isinstance(code, str) or not code.strip():
        return
    row = resolve(code, profile)
    if row is None:
        yield _unknown(code, f"{path}.status_code", profile)
        return
    if row.code != code:
        yield found(f"{path}.status_code", "alias_used", value=code, code=row.code)
    if isinstance(phase, str) and phase in RANK and phase != row.phase:
        yield found(f"{path}.phase", "phase_mismatch", code=row.code, expected=row.phase)
    if isinstance(event.get("pod"), dict) and not row.pod:
        yield found(f"{path}.pod", "unexpected_proof", code=row.code)


def _unknown(code: str, path: str, profile: str) -> Finding:
    if is_experimental(code):
        return found(path, "experimental_code", value=shown(code))
    said: dict[str, Any] = {"value": shown(code), "profile": profile}
    if row := _CODES.get(code):
        return found(path, "unknown_code", hint="other_profile", other=row.profile, **said)
    near = get_close_matches(code[:60].lower(), [each for each in _CODES if resolve(each, profile)], n=1)
    if near:
        return found(path, "unknown_code", hint="did_you_mean", suggestion=near[0], **said)
    return found(path, "unknown_code", **said)


def clocks(events: Sequence[Told]) -> Iterator[Finding]:
    """Events that stand before an earlier one, and those that were known before they happened."""
    latest: datetime | None = None
    for event in events:
        if latest and event.at < latest:
            yield found(f"{event.path}.occurred_at", "out_of_order")
        latest = max(latest or event.at, event.at)
        if _NEVER < event.recorded_at < event.at:
            yield found(f"{event.path}.recorded_at", "recorded_before_occurred")


def first_of_each(events: Sequence[Told]) -> tuple[list[Told], list[Finding]]:
    """The events without their copies, and where the copies stand. Of copies the one stays that became known first."""
    seen: dict[Any, str] = {}
    kept: list[Told] = []
    copies: list[Finding] = []
    for event in sorted(events, key=lambda each: (each.recorded_at, *each.place)):
        if first := next((seen[name] for name in event.names if name in seen), None):
            copies.append(found(event.path, "duplicate_event", first=first))
        else:
            kept.append(event)
        for name in event.names:
            seen.setdefault(name, first or event.path)
    return kept, copies


def in_time(events: Sequence[Told]) -> list[Told]:
    """Events as a timeline orders them."""
    return sorted(events, key=lambda each: each.place)


def steps(ordered: Sequence[Told]) -> Iterator[Finding]:
    """Steps that are out of order, and everything after the end that does not say it is late."""
    before: Told | None = None
    for event in ordered:
        late = event.document.get("late") is True
        way = step(before.row, event.row) if before else Step.LEGAL
        if before and way is Step.AFTER_TERMINAL:
            code = "late_event" if late else "after_terminal"
            yield found(event.path, code, code=event.row.code, terminal=before.row.code)
            continue
        if late:
            yield found(f"{event.path}.late", "not_late")
        if before and way is Step.STEP_BACK:
            yield found(f"{event.path}.status_code", "step_back", before=before.row.code, code=event.row.code)
        before = event


def summary(document: dict[str, Any], ordered: Sequence[Told], profile: str) -> Iterator[Finding]:
    """Whether what the timeline says of itself follows from its events."""
    end = next((event for event in ordered if event.row.terminal), None)
    current = end or (ordered[-1] if ordered else None)
    row = current.row if current else None
    expected: dict[str, Any] = {
        "delivered": row is not None and row.phase == Phase.DELIVERED,
        "terminal": row is not None and row.terminal,
    }
    if row:
        expected |= {"current_status": row.code, "current_phase": row.phase}
    for field, right in expected.items():
        stated = document.get(field)
        known = resolve(stated, profile) if field == "current_status" and isinstance(stated, str) else None
        if type(stated) is type(right) and (known.code if known else stated) != right:
            yield found(f"$.{field}", "summary_mismatch", field=field, expected=str(right).lower())
