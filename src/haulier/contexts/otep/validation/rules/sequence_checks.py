"""Checks of a posted timeline as a whole: its codes, its order, its end, and its summary."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any, NamedTuple

from haulier.contexts.otep.timeline.contract import Subject
from haulier.contexts.otep.timeline.rules.parser import derive_event_id
from haulier.contexts.otep.timeline.rules.transitions import TransitionKind, classify_transition, status_code_row
from haulier.contexts.otep.validation.rules.findings import Finding, make_finding, printable_excerpt
from haulier.contexts.otep.validation.rules.value_checks import parse_timestamp
from haulier.contexts.otep.vocabulary.rules import (
    PHASE_RANK,
    STATUS_CODES,
    Phase,
    StatusCode,
    is_experimental_code,
    resolve_status,
)

SUBJECT_IDENTIFIERS = Subject.__struct_fields__
"""The identifiers of a subject."""

_CODES = {row.code: row for row in STATUS_CODES}
_NEVER = datetime.min.replace(tzinfo=UTC)


class ReadableEvent(NamedTuple):
    """An event of the document whose time and code can be read, with the names that identify it.

    An event without a time of record counts as recorded before all others.
    """

    path: str
    document: dict[str, Any]
    occurred_at: datetime
    recorded_at: datetime
    row: StatusCode
    names: tuple[Any, ...]

    @property
    def order_key(self) -> tuple[Any, ...]:
        """The key of its place in a timeline, equal to `event_order.timeline_order_key`."""
        return self.occurred_at, PHASE_RANK[self.row.phase], self.recorded_at, self.names[0]


def readable_events(events: Sequence[Any], profile: str) -> list[ReadableEvent]:
    """The events whose time and code can be read."""
    read: list[ReadableEvent] = []
    for index, event in enumerate(events):
        if isinstance(event, dict) and (occurred_at := parse_timestamp(event.get("occurred_at"))):
            code, phase = event.get("status_code"), event.get("phase")
            if isinstance(code, str) and (resolve_status(code, profile) or is_experimental_code(code)):
                row = status_code_row(code, phase if isinstance(phase, str) else "", profile)
                recorded_at = parse_timestamp(event.get("recorded_at")) or _NEVER
                names = _event_names(event, row.code, occurred_at)
                read.append(ReadableEvent(f"$.events[{index}]", event, occurred_at, recorded_at, row, names))
    return read


def _event_names(event: dict[str, Any], code: str, occurred_at: datetime) -> tuple[Any, ...]:
    """The names that identify an event, its id first. Two events that share a name are one."""
    source = event.get("source")
    members = source if isinstance(source, dict) else {}
    type, name, reference = (
        value if isinstance(value := members.get(key), str) else "" for key in ("type", "name", "reference")
    )
    given_id = event.get("event_id")
    event_id = (
        given_id
        if isinstance(given_id, str) and given_id
        else derive_event_id(code, occurred_at, type, name, reference)
    )
    return event_id, (occurred_at, code, type, name), *([(type, name, reference)] if reference else [])


def check_codes(event: dict[str, Any], path: str, profile: str) -> Iterator[Finding]:
    """Whether an event's code is of the profile, and its phase the code's."""
    code, phase = event.get("status_code"), event.get("phase")
    if not isinstance(code, str) or not code.strip():
        return
    row = resolve_status(code, profile)
    if row is None:
        yield _unknown_code_finding(code, f"{path}.status_code", profile)
        return
    if row.code != code:
        yield make_finding(f"{path}.status_code", "alias_used", value=code, code=row.code)
    if isinstance(phase, str) and phase in PHASE_RANK and phase != row.phase:
        yield make_finding(f"{path}.phase", "phase_mismatch", code=row.code, expected=row.phase)
    if isinstance(event.get("pod"), dict) and not row.pod:
        yield make_finding(f"{path}.pod", "unexpected_proof", code=row.code)


def _unknown_code_finding(code: str, path: str, profile: str) -> Finding:
    if is_experimental_code(code):
        return make_finding(path, "experimental_code", value=printable_excerpt(code))
    params: dict[str, Any] = {"value": printable_excerpt(code), "profile": profile}
    if row := _CODES.get(code):
        return make_finding(path, "unknown_code", hint="other_profile", other=row.profile, **params)
    near = get_close_matches(code[:60].lower(), [name for name in _CODES if resolve_status(name, profile)], n=1)
    if near:
        return make_finding(path, "unknown_code", hint="did_you_mean", suggestion=near[0], **params)
    return make_finding(path, "unknown_code", **params)


def check_clocks(events: Sequence[ReadableEvent]) -> Iterator[Finding]:
    """Events that are listed before an earlier one, and events recorded before they occurred."""
    latest: datetime | None = None
    for event in events:
        if latest and event.occurred_at < latest:
            yield make_finding(f"{event.path}.occurred_at", "out_of_order")
        latest = max(latest or event.occurred_at, event.occurred_at)
        if _NEVER < event.recorded_at < event.occurred_at:
            yield make_finding(f"{event.path}.recorded_at", "recorded_before_occurred")


def _arrival_order_key(event: ReadableEvent) -> tuple[Any, ...]:
    """The order in which events became known; the code decides between two under one id and instant.

    Why: a reader of the timeline decides so (`timeline/rules/event_order.py`), and both must keep the same copy.
    """
    return event.recorded_at, *event.order_key, repr(event.occurred_at), event.row.code


def split_duplicates(events: Sequence[ReadableEvent]) -> tuple[list[ReadableEvent], list[Finding]]:
    """The events without copies, and the findings of the copies. The copy that was recorded first stays."""
    first_ids: dict[Any, str] = {}
    unique: list[ReadableEvent] = []
    copies: list[Finding] = []
    for event in sorted(events, key=_arrival_order_key):
        if first := next((first_ids[name] for name in event.names if name in first_ids), None):
            copies.append(make_finding(event.path, "duplicate_event", first=first))
        else:
            unique.append(event)
        for name in event.names:
            first_ids.setdefault(name, first or event.path)
    return unique, copies


def sort_by_time(events: Sequence[ReadableEvent]) -> list[ReadableEvent]:
    """Events in the order of a timeline."""
    return sorted(events, key=lambda event: event.order_key)


def check_transitions(ordered: Sequence[ReadableEvent]) -> Iterator[Finding]:
    """Steps that are out of order, and events after a terminal one that are not marked late."""
    before: ReadableEvent | None = None
    for event in ordered:
        late = event.document.get("late") is True
        transition = classify_transition(before.row, event.row) if before else TransitionKind.LEGAL
        if before and transition is TransitionKind.AFTER_TERMINAL:
            code = "late_event" if late else "after_terminal"
            yield make_finding(event.path, code, code=event.row.code, terminal=before.row.code)
            continue
        if late:
            yield make_finding(f"{event.path}.late", "not_late")
        if before and transition is TransitionKind.STEP_BACK:
            yield make_finding(f"{event.path}.status_code", "step_back", before=before.row.code, code=event.row.code)
        before = event


def check_summary(document: dict[str, Any], ordered: Sequence[ReadableEvent], profile: str) -> Iterator[Finding]:
    """Fields of the summary that do not follow from the events."""
    end = next((event for event in ordered if event.row.terminal), None)
    current = end or (ordered[-1] if ordered else None)
    row = current.row if current else None
    expected: dict[str, Any] = {
        "delivered": row is not None and row.phase == Phase.DELIVERED,
        "terminal": row is not None and row.terminal,
    }
    if row:
        expected |= {"current_status": row.code, "current_phase": row.phase}
    for field, value in expected.items():
        stated = document.get(field)
        stated_row = resolve_status(stated, profile) if field == "current_status" and isinstance(stated, str) else None
        if type(stated) is type(value) and (stated_row.code if stated_row else stated) != value:
            yield make_finding(f"$.{field}", "summary_mismatch", field=field, expected=str(value).lower())
