"""A proposed write as its page shows it: who, what, why, and what would change."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.control_tower.approvals.contract import PendingWrite
from haulier.kernel.operations.enums import Scope
from haulier.web.i18n import Translate
from haulier.web.pages.value_formatter import ValueFormatter, ValueTree, Words, humanized_name, parse_moment
from haulier.web.session import WebSession

RISK_MOODS = {"low": "good", "medium": "warn", "high": "bad"}
MAX_SUBJECT_CHARACTERS = 90
SUBSCRIBER_KIND_PREFIX = "haulier.contexts."
"""Prefix of outbox entries for subscriber events: the path of the function."""
SAME_MOMENT_TOLERANCE = timedelta(seconds=1)
EMPTY_VALUES: tuple[Any, ...] = (None, "", [], {})
STATUS_MOODS = {"pending": "info", "executed": "good", "rejected": "bad", "withdrawn": "", "expired": "warn"}


class FieldDifference(Struct, frozen=True):
    """One field before and after; None where there is nothing to show."""

    name: Words
    before: ValueTree | None
    after: ValueTree | None


class RecordDifference(Struct, frozen=True):
    """One record: `new`, `gone` or `changed`."""

    kind: str
    mood: str
    title: str
    fields: list[FieldDifference]


class SideEffectView(Struct, frozen=True):
    """A message or follow-up action after approval."""

    title: str
    when: str | None
    args: ValueTree


class ProposalView(Struct, frozen=True, kw_only=True):
    """A proposed write, ready to be read."""

    id: int
    title: str
    summary: str
    subject: str
    operation: str
    risk: str
    risk_mood: str
    status: str
    status_mood: str
    who: str
    mine: bool
    proposed: str
    proposed_at: str
    expires: str
    expires_at: str
    note: str | None
    arguments: ValueTree
    changes: list[RecordDifference]
    additions: list[tuple[str, list[RecordDifference]]]
    changes_left_out: int
    side_effects: list[SideEffectView]
    answer: ValueTree
    seen: str
    tag: str
    reviewed: str | None
    reviewer: str | None
    review_note: str | None
    outcome: ValueTree | None


def proposal_view(record: PendingWrite, session: WebSession, reader: ValueFormatter) -> ProposalView:
    """The page's view of a pending write as the operations give it."""
    preview = record.preview
    seen = preview.previewed_at or record.proposed_at
    changes = [record_difference(change, reader, seen) for change in preview.changes or []]
    total = preview.changes_total or len(changes)
    return ProposalView(
        id=record.id,
        title=write_title(record.operation, reader.say),
        summary=record.summary,
        subject=_proposal_subject(reader.tree(record.arguments)),
        operation=record.operation,
        risk=record.risk,
        risk_mood=RISK_MOODS.get(record.risk, ""),
        status=record.status.value,
        status_mood=STATUS_MOODS[record.status.value],
        who=record.proposed_by_name or f"#{record.proposed_by}",
        mine=record.proposed_by == session.user_id,
        proposed=reader.ago(record.proposed_at),
        proposed_at=reader.moment(record.proposed_at),
        expires=reader.ago(record.expires_at),
        expires_at=reader.moment(record.expires_at),
        note=record.note,
        arguments=reader.tree(record.arguments),
        changes=[change for change in changes if change.kind != "new"],
        additions=_differences_by_title(change for change in changes if change.kind == "new"),
        changes_left_out=max(0, total - len(changes)) if changes else 0,
        side_effects=[side_effect_view(entry, reader) for entry in preview.side_effects],
        answer=reader.tree(preview.answer),
        seen=reader.ago(seen),
        tag=preview.tag or "",
        reviewed=reader.moment(record.reviewed_at) if record.reviewed_at else None,
        reviewer=record.reviewed_by_name,
        review_note=record.review_note,
        outcome=None if record.answer is UNSET else reader.tree(record.answer),
    )


def write_title(operation: str, say: Translate) -> str:
    """Return the title of a write, or the operation's name if it has none."""
    title = say(id := f"write.{operation}")
    return humanized_name(operation) if title == id else title


def missing_scopes(record: PendingWrite, session: WebSession) -> str:
    """The scopes that a session lacks to decide about a write; empty when it may."""
    return ", ".join(sorted({*record.scopes, Scope.APPROVALS_WRITE.value} - session.scopes))


def _proposal_subject(arguments: ValueTree) -> str:
    """The plain arguments, at most 90 characters."""
    subject = " · ".join(f"{name}: {part.text}" for name, part in arguments.parts or [] if part.plain)
    return subject if len(subject) <= MAX_SUBJECT_CHARACTERS else subject[: MAX_SUBJECT_CHARACTERS - 1] + "…"


def _differences_by_title(changes: Iterable[RecordDifference]) -> list[tuple[str, list[RecordDifference]]]:
    """New records by their table, in the order in which the first of each was made."""
    differences: dict[str, list[RecordDifference]] = {}
    for change in changes:
        differences.setdefault(change.title, []).append(change)
    return list(differences.items())


def record_difference(change: dict[str, Any], reader: ValueFormatter, seen: datetime) -> RecordDifference:
    """Return the changes of one record, without times of the dry run."""
    before, after = change["before"] or {}, change["after"] or {}
    kind, mood = ("new", "good") if not before else ("gone", "bad") if not after else ("changed", "info")
    names = [name for name in {**before, **after} if _is_worth_showing(before.get(name), after.get(name), seen)]
    fields = [
        FieldDifference(
            reader.label(name),
            _field_side(before, name, kind != "new", reader),
            _field_side(after, name, kind != "gone", reader),
        )
        for name in names
    ]
    number = f" {change['id']}" if change["id"] is not None and kind != "new" else ""
    return RecordDifference(kind, mood, humanized_name(change["record"]) + number, fields)


def _is_worth_showing(before: Any, after: Any, seen: datetime) -> bool:
    moment = parse_moment(after)
    noted = moment is not None and abs(moment - seen) < SAME_MOMENT_TOLERANCE
    return not noted and any(value not in EMPTY_VALUES for value in (before, after))


def _field_side(row: dict[str, Any], name: str, is_present: bool, reader: ValueFormatter) -> ValueTree | None:
    return reader.tree(_without_empty_values(row.get(name)), name) if is_present else None


def _without_empty_values(value: Any) -> Any:
    """A value without empty parts."""
    if isinstance(value, dict):
        return {name: _without_empty_values(inner) for name, inner in value.items() if inner not in EMPTY_VALUES}
    return [_without_empty_values(inner) for inner in value] if isinstance(value, list) else value


def side_effect_view(entry: dict[str, Any], reader: ValueFormatter) -> SideEffectView:
    args = dict(entry["args"])
    event = args.get("event")
    label = humanized_name(
        entry["kind"].rpartition(".")[2] if entry["kind"].startswith(SUBSCRIBER_KIND_PREFIX) else entry["kind"]
    )
    title = label + (f" · {humanized_name(event)}" if isinstance(event, str) else "")
    later = entry.get("run_at")
    when = reader.ago(datetime.fromisoformat(later)) if isinstance(later, str) else None
    return SideEffectView(title, when, reader.tree(args.get("news", args)))
