"""A proposed write as its page shows it: who, what, why, and what would change, in words and in order."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET, Struct

from haulier.doors.web.readable import Node, Reader, moment_of, named
from haulier.doors.web.session import Session
from haulier.doors.web.words import Say
from haulier.kernel.declarations import Scope

MOODS = {"low": "good", "medium": "warn", "high": "bad"}
SUBJECT_MAX = 90
HEARD = "haulier.contexts."
"""How the kind of a letter begins that is news for another part of the house: the path of who hears it."""
A_SECOND = timedelta(seconds=1)
NOTHING: tuple[Any, ...] = (None, "", [], {})
STATUS_MOODS = {"pending": "info", "executed": "good", "rejected": "bad", "withdrawn": "", "expired": "warn"}


class Field(Struct, frozen=True):
    """One field before and after; None where there is nothing to show."""

    name: str
    before: Node | None
    after: Node | None


class Change(Struct, frozen=True):
    """One record: `new`, `gone` or `changed`."""

    kind: str
    mood: str
    title: str
    fields: list[Field]


class Letter(Struct, frozen=True):
    """What would be sent or done afterwards."""

    title: str
    when: str | None
    args: Node


class Proposal(Struct, frozen=True, kw_only=True):
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
    arguments: Node
    changes: list[Change]
    additions: list[tuple[str, list[Change]]]
    changes_left_out: int
    letters: list[Letter]
    answer: Node
    seen: str
    tag: str
    reviewed: str | None
    reviewer: str | None
    review_note: str | None
    outcome: Node | None


def proposal(record: Any, session: Session, reader: Reader) -> Proposal:
    """The page's view of a pending write as the operations give it."""
    preview = record.preview
    seen = preview.rehearsed_at or record.proposed_at
    changes = [_change(change, reader, seen) for change in preview.changes or []]
    total = preview.changes_total or len(changes)
    return Proposal(
        id=record.id,
        title=titled(record.operation, reader.say),
        summary=record.summary,
        subject=_subject(reader.tree(record.arguments)),
        operation=record.operation,
        risk=record.risk,
        risk_mood=MOODS.get(record.risk, ""),
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
        additions=_by_title(change for change in changes if change.kind == "new"),
        changes_left_out=max(0, total - len(changes)) if changes else 0,
        letters=[_letter(letter, reader) for letter in preview.letters],
        answer=reader.tree(preview.answer),
        seen=reader.ago(seen),
        tag=preview.tag or "",
        reviewed=reader.moment(record.reviewed_at) if record.reviewed_at else None,
        reviewer=record.reviewed_by_name,
        review_note=record.review_note,
        outcome=None if record.answer is UNSET else reader.tree(record.answer),
    )


def titled(operation: str, say: Say) -> str:
    """The name of a write in the reader's language; of one that has none, its own name. A test sees that all have one."""
    said = say(id := f"write.{operation}")
    return named(operation) if said == id else said


def missing(record: Any, session: Session) -> str:
    """The scopes that a session lacks to decide about a write; empty when it may."""
    return ", ".join(sorted({*record.scopes, Scope.APPROVALS_WRITE.value} - session.scopes))


def _subject(arguments: Node) -> str:
    """What it is about, as short as a line in a list."""
    said = " · ".join(f"{name}: {part.text}" for name, part in arguments.parts or [] if part.plain)
    return said if len(said) <= SUBJECT_MAX else said[: SUBJECT_MAX - 1] + "…"


def _by_title(changes: Iterable[Change]) -> list[tuple[str, list[Change]]]:
    """New records by their table, in the order in which the first of each was made."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change.title, []).append(change)
    return list(found.items())


def _change(change: dict[str, Any], reader: Reader, seen: datetime) -> Change:
    """One record; without the fields in which the rehearsal noted its own moment, which is not when it will run."""
    before, after = change["before"] or {}, change["after"] or {}
    kind, mood = ("new", "good") if not before else ("gone", "bad") if not after else ("changed", "info")
    names = [name for name in {**before, **after} if _says(before.get(name), after.get(name), seen)]
    fields = [
        Field(named(name), _side(before, name, kind != "new", reader), _side(after, name, kind != "gone", reader))
        for name in names
    ]
    number = f" {change['id']}" if change["id"] is not None and kind != "new" else ""
    return Change(kind, mood, named(change["record"]) + number, fields)


def _says(before: Any, after: Any, seen: datetime) -> bool:
    moment = moment_of(after)
    noted = moment is not None and abs(moment - seen) < A_SECOND
    return not noted and any(value not in NOTHING for value in (before, after))


def _side(row: dict[str, Any], name: str, shown: bool, reader: Reader) -> Node | None:
    return reader.tree(_told(row.get(name))) if shown else None


def _told(value: Any) -> Any:
    """A value without what says nothing."""
    if isinstance(value, dict):
        return {name: _told(inner) for name, inner in value.items() if inner not in NOTHING}
    return [_told(inner) for inner in value] if isinstance(value, list) else value


def _letter(letter: dict[str, Any], reader: Reader) -> Letter:
    args = dict(letter["args"])
    event = args.get("event")
    what = named(letter["kind"].rpartition(".")[2] if letter["kind"].startswith(HEARD) else letter["kind"])
    title = what + (f" · {named(event)}" if isinstance(event, str) else "")
    later = letter.get("run_at")
    when = reader.ago(datetime.fromisoformat(later)) if isinstance(later, str) else None
    return Letter(title, when, reader.tree(args.get("news", args)))
