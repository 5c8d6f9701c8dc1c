"""Rules of validation: record checks."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from inspect import cleandoc
from itertools import islice
from typing import Any, NamedTuple

from haulier.contexts.otep.timeline.contract import OtepRecord, Subject
from haulier.contexts.otep.timeline.rules.parser import (
    TransitionKind,
    classify_transition,
    derive_event_id,
    status_code_row,
)
from haulier.contexts.otep.validation.rules.value_checks import (
    Finding,
    JsonSchema,
    ValueCheck,
    make_finding,
    member_path,
    parse_timestamp,
    printable_excerpt,
)
from haulier.contexts.otep.vocabulary.rules import (
    PHASE_RANK,
    STATUS_CODES,
    Phase,
    StatusCode,
    is_experimental_code,
    resolve_status,
)

MEMBERS_MAX = 1000
"""Members of a record that are checked."""
# Documents from outside need a limited validation cost.


def list_check(check: ValueCheck, longest: int) -> ValueCheck:
    """Return a list whose items all pass a check.

    Items beyond `longest` are not checked.
    """

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, list):
            yield make_finding(path, "wrong_type", expected="array")
            return
        if len(value) > longest:
            yield make_finding(path, "too_many", max=longest)
        for index, item in enumerate(value[:longest]):
            yield from _check_present(check, item, f"{path}[{index}]")

    return ValueCheck(find, {"type": "array", "maxItems": longest, "items": check.schema}, check.records)


def record_check(
    kind: type[OtepRecord], fields: Mapping[str, ValueCheck], required: Collection[str] = ()
) -> ValueCheck:
    """Return the check of an object with a record's fields.

    Other fields are warnings, as the sender may use a newer version. Raises `ValueError` at import if the fields differ
    from the record's.
    """
    if differing := set(fields) ^ set(kind.__struct_fields__):
        raise ValueError(f"checks of other fields than {kind.__name__} has: {differing}")

    def find(value: Any, path: str) -> Iterator[Finding]:
        if not isinstance(value, dict):
            yield make_finding(path, "wrong_type", expected="object")
            return
        if len(value) > MEMBERS_MAX:
            yield make_finding(path, "too_many", max=MEMBERS_MAX)
        for name in required:
            if name not in value:
                yield make_finding(member_path(path, name), "missing", field=name)
        for name, inner in islice(value.items(), MEMBERS_MAX):
            if check := fields.get(name):
                yield from _check_present(check, inner, member_path(path, name))
            else:
                yield make_finding(member_path(path, name), "unknown_field", field=printable_excerpt(name))

    name = kind.__name__
    inner = {name: schema for check in fields.values() for name, schema in check.records.items()}
    return ValueCheck(find, {"$ref": f"#/$defs/{name}"}, {**inner, name: _record_schema(kind, fields, required)})


def _record_schema(kind: type[OtepRecord], fields: Mapping[str, ValueCheck], required: Collection[str]) -> JsonSchema:
    described: JsonSchema = {"type": "object", "description": cleandoc(kind.__doc__ or "")}
    if required:
        described["required"] = list(required)
    return {**described, "properties": {name: check.schema for name, check in fields.items()}}


def _check_present(check: ValueCheck, value: Any, path: str) -> Iterator[Finding]:
    if value is None:
        return iter((make_finding(path, "null_value"),))
    return check(value, path)


SUBJECT_IDENTIFIERS = Subject.__struct_fields__
"""The identifiers of a subject."""

CLOCK_AHEAD_MINUTES = 15
"""Minutes by which the clock of a source may be ahead of the server's."""

_CODES = {row.code: row for row in STATUS_CODES}
_CLOCK_AHEAD = timedelta(minutes=CLOCK_AHEAD_MINUTES)
_NEVER = datetime.min.replace(tzinfo=UTC)


class ReadableEvent(NamedTuple):
    """A readable event with its identifying names and those of its subject.

    An event without a time of record counts as recorded before all others.
    """

    subject: str
    path: str
    document: dict[str, Any]
    occurred_at: datetime
    recorded_at: datetime
    row: StatusCode
    names: tuple[Any, ...]

    @property
    def order_key(self) -> tuple[Any, ...]:
        """Return its key in a timeline, equal to `event_order.timeline_order_key`."""
        return self.occurred_at, PHASE_RANK[self.row.phase], self.recorded_at, self.names[0]


class Journey(NamedTuple):
    """Events of one subject in time order, its end, and findings of copies."""

    events: list[ReadableEvent]
    end: ReadableEvent | None
    copies: list[Finding]


def readable_events(events: Sequence[Any], profile: str, subject: Any) -> list[ReadableEvent]:
    """Return events with readable time and code.

    The timeline's subject is the default.
    """
    read: list[ReadableEvent] = []
    for index, event in enumerate(events):
        if isinstance(event, dict) and (occurred_at := parse_timestamp(event.get("occurred_at"))):
            code, phase = event.get("status_code"), event.get("phase")
            if isinstance(code, str) and (resolve_status(code, profile) or is_experimental_code(code)):
                row = status_code_row(code, phase if isinstance(phase, str) else "", profile)
                recorded_at = parse_timestamp(event.get("recorded_at")) or _NEVER
                names = _event_names(event, row.code, occurred_at)
                of = _subject_name(event.get("subject", subject))
                read.append(ReadableEvent(of, f"$.events[{index}]", event, occurred_at, recorded_at, row, names))
    return read


def is_ahead(occurred_at: datetime, now: datetime) -> bool:
    """Return True if an instant is further ahead than clocks can differ."""
    # In UTC: Python takes four times as long to compare moments of two offsets.
    return occurred_at.astimezone(UTC) > now + _CLOCK_AHEAD


def _subject_name(subject: Any) -> str:
    """Return the first identifier of a subject."""
    members = subject if isinstance(subject, dict) else {}
    return next((f"{name} {members[name]!r}" for name in SUBJECT_IDENTIFIERS if members.get(name) is not None), "")


def group_by_subject(events: Iterable[ReadableEvent]) -> list[list[ReadableEvent]]:
    """Return the events of each subject."""
    groups: dict[str, list[ReadableEvent]] = {}
    for event in events:
        groups.setdefault(event.subject, []).append(event)
    return list(groups.values())


def read_journey(events: Sequence[ReadableEvent]) -> Journey:
    """Return the journey of one subject."""
    unique, copies = split_duplicates(events)
    ordered = sort_by_time(unique)
    end = min((event for event in ordered if event.row.terminal), key=_arrival_order_key, default=None)
    return Journey(ordered, end, copies)


def _event_names(event: dict[str, Any], code: str, occurred_at: datetime) -> tuple[Any, ...]:
    """Return identifying names of an event, id first. A shared name means equality."""
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
    """Yield findings on codes outside the profile and on wrong phases."""
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


def check_clocks(events: Sequence[ReadableEvent], now: datetime | None) -> Iterator[Finding]:
    """Yield findings on order and clocks of events.

    Events listed before an earlier one of their subject, recorded before they occurred, or ahead of `now`.
    """
    latest: dict[str, datetime] = {}
    for event in events:
        before = latest.get(event.subject, event.occurred_at)
        if event.occurred_at < before:
            yield make_finding(f"{event.path}.occurred_at", "out_of_order")
        latest[event.subject] = max(before, event.occurred_at)
        if _NEVER < event.recorded_at < event.occurred_at:
            yield make_finding(f"{event.path}.recorded_at", "recorded_before_occurred")
        if now and is_ahead(event.occurred_at, now):
            yield make_finding(f"{event.path}.occurred_at", "time_ahead", max=CLOCK_AHEAD_MINUTES)


def _arrival_order_key(event: ReadableEvent) -> tuple[Any, ...]:
    """Return the order of arrival; the code decides ties under one id and instant.

    Must agree with readers of the timeline (`timeline/rules/event_order.py`): both keep the same copy.
    """
    return event.recorded_at, *event.order_key, repr(event.occurred_at), event.row.code


def split_duplicates(events: Sequence[ReadableEvent]) -> tuple[list[ReadableEvent], list[Finding]]:
    """Return events without copies, and findings of copies.

    The first recorded copy stays.
    """
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
    """Return events in the order of a timeline."""
    return sorted(events, key=lambda event: event.order_key)


def check_journey(journey: Journey) -> Iterator[Finding]:
    """Yield findings on steps out of order and unmarked events after the end."""
    end = journey.end
    before: ReadableEvent | None = None
    ended = False
    for event in journey.events:
        late = event.document.get("late") is True
        if end and event is not end and (ended or event.row.terminal):
            code = "late_event" if late else "after_terminal"
            yield make_finding(event.path, code, code=event.row.code, terminal=end.row.code)
            continue
        ended = event is end
        if late:
            yield make_finding(f"{event.path}.late", "not_late")
        if before and classify_transition(before.row, event.row) is TransitionKind.STEP_BACK:
            yield make_finding(f"{event.path}.status_code", "step_back", before=before.row.code, code=event.row.code)
        before = event


def check_summary(document: dict[str, Any], journey: Journey | None, profile: str) -> Iterator[Finding]:
    """Return fields of the summary that do not follow from the events."""
    current = (journey.end or journey.events[-1]) if journey else None
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
