"""What a posted timeline tells as a whole: its codes, its order, its end, and whether its summary agrees."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import Any, NamedTuple

from haulier.contexts.tracking.otep.model import Subject
from haulier.contexts.tracking.otep.rules.checks import read_time
from haulier.contexts.tracking.otep.rules.findings import Finding, found, shown
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


class Told(NamedTuple):
    """An event of the document that can be read: when and what."""

    path: str
    document: dict[str, Any]
    at: datetime
    row: StatusCode


def told(events: Sequence[Any], profile: str) -> list[Told]:
    """The events whose time and code can be read."""
    read: list[Told] = []
    for index, event in enumerate(events):
        if isinstance(event, dict) and (at := read_time(event.get("occurred_at"))):
            code, phase = event.get("status_code"), event.get("phase")
            if isinstance(code, str) and (resolve(code, profile) or is_experimental(code)):
                row = row_of(code, phase if isinstance(phase, str) else "", profile)
                read.append(Told(f"$.events[{index}]", event, at, row))
    return read


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
        recorded = read_time(event.document.get("recorded_at"))
        if recorded and recorded < event.at:
            yield found(f"{event.path}.recorded_at", "recorded_before_occurred")


def first_of_each(events: Sequence[Told]) -> tuple[list[Told], list[Finding]]:
    """The events without their copies, and where the copies stand."""
    seen: dict[Any, str] = {}
    kept: list[Told] = []
    copies: list[Finding] = []
    for event in events:
        names = _names(event)
        if first := next((seen[name] for name in names if name in seen), None):
            copies.append(found(event.path, "duplicate_event", first=first))
        else:
            kept.append(event)
        for name in names:
            seen.setdefault(name, first or event.path)
    return kept, copies


def _names(event: Told) -> list[Any]:
    id, source = event.document.get("event_id"), event.document.get("source")
    said = source if isinstance(source, dict) else {}
    type, name, reference = (
        each if isinstance(each := said.get(key), str) else "" for key in ("type", "name", "reference")
    )
    names: list[Any] = [(event.at, event.row.code, type, name)]
    if isinstance(id, str) and id:
        names.append(id)
    if reference:
        names.append((type, name, reference))
    return names


def in_time(events: Sequence[Told]) -> list[Told]:
    """Events as a timeline orders them; what still ties stays as it was posted."""

    def place(event: Told) -> tuple[datetime, int, datetime]:
        return event.at, RANK[event.row.phase], read_time(event.document.get("recorded_at")) or event.at

    return sorted(events, key=place)


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
