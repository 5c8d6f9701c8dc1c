"""Rules of approvals.

Four things differ between two runs of the same write, and are no difference:

1. the number of a record that the run made, wherever a field names records by it (`id`, `order_id`, `order_ids`);
2. the values of columns that are declared volatile (`haulier.kernel.data.tables.VOLATILE`), and those values wherever else
   they stand, such as a new tracking number in a job;
3. moments that follow from when the run was: they may be as much later as the run was; seconds since 1970 are moments where
   the column is declared to hold such (`seconds_in`);
4. of a record that existed before, the moment at which the run touched it.

Every other value has to be equal. The order in which records were touched does not matter.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, get_args

import msgspec
from msgspec import Struct
from pydantic import BaseModel, SecretBytes, SecretStr

from haulier.kernel.data.tables import ColumnMarks
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, Scope
from haulier.kernel.operations.errors import SCOPE_MISSING, OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

AT_ONCE = timedelta(seconds=1)
ROUNDING = timedelta(minutes=1)
"""Tolerance for moments: plans are made to the minute."""
PlainRecord = Mapping[str, Any]
NO_NAMES = frozenset[str]()


class WriteEffect(Struct, frozen=True, kw_only=True):
    """Effect of one run of a write."""

    at: datetime
    changes: list[dict[str, Any]]
    """Records as `record`, `id`, `before`, `after`."""
    side_effects: list[dict[str, Any]]
    total: int
    """Total number of changed records, if not all are listed."""


def is_same_effect(previewed: WriteEffect, actual: WriteEffect, marks: ColumnMarks) -> bool:
    """Return True if two runs of a write have the same effect."""
    one, other = _Run(previewed, marks), _Run(actual, marks)
    changes, side_effects = _paired(one.changes, other.changes), _paired(one.side_effects, other.side_effects)
    if one.total != other.total or changes is None or side_effects is None:
        return False
    return all(_is_same_change(one, other, *pair) for pair in changes) and all(
        _is_same_value(one, other, *pair) for pair in side_effects
    )


class _Run:
    """A run: its moment, newly made values, and effects in comparable order."""

    def __init__(self, effect: WriteEffect, marks: ColumnMarks) -> None:
        self.at = effect.at
        self._volatile = marks.volatile
        self.new_ids = {change["id"] for change in effect.changes if not change["before"]}
        self.new_texts = set(self._made_texts(effect.changes))
        dated = [_with_moments(change, marks.seconds.get(change["record"], NO_NAMES)) for change in effect.changes]
        listed = [_without_touch_moments(change, effect.at) for change in dated]
        self.changes = sorted((change for change in listed if change["before"] or change["after"]), key=self._sort_key)
        self.total = effect.total - len(listed) + len(self.changes)
        self.side_effects = sorted(effect.side_effects, key=self._sort_key)

    def is_made(self, value: Any, name: str) -> bool:
        """Return True if this run made a value: a new id, or a volatile column's text."""
        if isinstance(value, str):
            return value in self.new_texts
        return _is_id(value, name) and value in self.new_ids

    def volatile_in(self, change: PlainRecord) -> frozenset[str]:
        """Return the volatile columns of the record of a change."""
        return self._volatile.get(change["record"], NO_NAMES)

    def _made_texts(self, changes: list[dict[str, Any]]) -> Iterator[str]:
        for change in changes:
            for name in self.volatile_in(change):
                value = (change["after"] or {}).get(name)
                if isinstance(value, str) and value != (change["before"] or {}).get(name):
                    yield value

    def _sort_key(self, thing: PlainRecord) -> tuple[bytes, list[str], list[int]]:
        """Return a sort key that is independent of new values.

        Moments and ids rise in the same order in every run.
        """
        moments: list[str] = []
        ids: list[int] = []

        def masked(value: Any, name: str, volatile: frozenset[str] = NO_NAMES) -> Any:
            if isinstance(value, Mapping):
                return {key: masked(value[key], key) for key in sorted(value) if key not in volatile}
            if isinstance(value, list):
                return [masked(inner, name) for inner in value]
            if moment := _parse_moment(value):
                return moments.append(moment.isoformat())
            if isinstance(value, str):
                document = _parse_json(value)
                return self.is_made(value, name) or (value if document is None else masked(document, name))
            return ids.append(value) if _is_id(value, name) else value

        volatile = self.volatile_in(thing) if "record" in thing else NO_NAMES
        sides = {key: masked(value, key, volatile) for key, value in sorted(thing.items())}
        return msgspec.json.encode(sides), moments, ids


def _with_moments(value: Any, names: frozenset[str], is_moment: bool = False) -> Any:
    """Return a document with seconds since 1970 in these members as moments."""
    if isinstance(value, Mapping):
        return {key: _with_moments(value[key], names, is_moment or key in names) for key in value}
    if isinstance(value, list):
        return [_with_moments(inner, names, is_moment) for inner in value]
    return datetime.fromtimestamp(value, UTC).isoformat() if is_moment and type(value) is int else value


def _is_id(value: Any, name: str) -> bool:
    return type(value) is int and (name in {"id", "ids"} or name.endswith(("_id", "_ids")))


def _paired(ones: list[Any], others: list[Any]) -> list[tuple[Any, Any]] | None:
    return list(zip(ones, others, strict=True)) if len(ones) == len(others) else None


def _is_same_change(one: _Run, other: _Run, a: PlainRecord, b: PlainRecord) -> bool:
    """Return True if two changes have the same effect.

    A volatile column may change in one run alone, such as the day on which a cancelled order counts.
    """
    if (a["record"], not a["before"], not a["after"]) != (b["record"], not b["before"], not b["after"]):
        return False
    if a["before"] and a["id"] != b["id"]:
        return False
    volatile = one.volatile_in(a)
    sides = [(a[side] or {}, b[side] or {}) for side in ("before", "after")]
    return all(
        left.keys() - volatile == right.keys() - volatile
        and all((left[name] is None) == (right[name] is None) for name in left.keys() & right.keys() & volatile)
        and all(_is_same_value(one, other, left[name], right[name], name) for name in left.keys() - volatile)
        for left, right in sides
    )


def _without_touch_moments(change: dict[str, Any], now: datetime) -> dict[str, Any]:
    """Return an existing record without the run's touch moments.

    Earlier touch times are irrelevant as well, so they are removed on both sides.
    """
    before, after = change["before"], change["after"]
    if not before or not after:
        return change
    touched = {name for name, value in after.items() if _is_near(_parse_moment(value), now)}
    return {**change, "before": _without_fields(before, touched), "after": _without_fields(after, touched)}


def _is_same_value(one: _Run, other: _Run, a: Any, b: Any, name: str = "") -> bool:
    """Return True if two values are equivalent."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_is_same_value(one, other, a[key], b[key], key) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_is_same_value(one, other, *pair, name) for pair in zip(a, b, strict=True))
    if a == b or (one.is_made(a, name) and other.is_made(b, name)):
        return True
    then, now = _parse_moment(a), _parse_moment(b)
    if then and now:
        return abs(then - one.at + other.at - now) <= ROUNDING
    return isinstance(a, str) and isinstance(b, str) and _is_same_document(one, other, a, b)


def _is_same_document(one: _Run, other: _Run, a: str, b: str) -> bool:
    left, right = _parse_json(a), _parse_json(b)
    return left is not None and right is not None and _is_same_value(one, other, left, right)


def _without_fields(row: PlainRecord, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _is_near(one: datetime | None, other: datetime) -> bool:
    return one is not None and abs(one - other) < AT_ONCE


def _parse_moment(value: Any) -> datetime | None:
    """Return the moment of an ISO 8601 text with an offset, or None."""
    if not isinstance(value, str) or len(value) < len("2026-01-01T00:00Z"):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _parse_json(text: str) -> Any:
    """Return the JSON document that a text is, or None."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


APPROVAL_DECIDED = declare_error("approval_decided", 409)
APPROVAL_EXPIRED = declare_error("approval_expired", 409)
APPROVAL_OWN = declare_error("approval_own", 403)
APPROVAL_NOT_A_WRITE = declare_error("approval_not_a_write", 422, fields=("tool",))
APPROVAL_PREVIEW_CHANGED = declare_error("approval_preview_changed", 409)
APPROVAL_PROPOSER_MAY_NOT = declare_error("approval_proposer_may_not", 409)

EXPIRES_AFTER_H = 72
"""Default hours for which a write stays pending."""
EXPIRES_AFTER_H_MAX = 720
_ABOUT_APPROVALS = frozenset({Scope.APPROVALS_READ, Scope.APPROVALS_WRITE})


class ApprovalStatus(StrEnum):
    """The status of a proposed write."""

    PENDING = "pending"
    EXECUTED = "executed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class ApprovalAction(StrEnum):
    """Actions that end the waiting."""

    APPROVE = "approve"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"


def decided_error(action: ApprovalAction, status: ApprovalStatus) -> OperationError:
    """Return the error for an already decided write."""
    return APPROVAL_DECIDED(status=status.value)


_WAITING = ApprovalStatus.PENDING
APPROVAL_LIFE = StateMachine(
    {
        ApprovalAction.APPROVE: {_WAITING: ApprovalStatus.EXECUTED},
        ApprovalAction.REJECT: {_WAITING: ApprovalStatus.REJECTED},
        ApprovalAction.WITHDRAW: {_WAITING: ApprovalStatus.WITHDRAWN},
        ApprovalAction.EXPIRE: {_WAITING: ApprovalStatus.EXPIRED},
    },
    created={_WAITING: "propose"},
    error=decided_error,
)
mermaid = APPROVAL_LIFE.mermaid


class ClientApprovalPolicy(Struct, frozen=True):
    """Approval rules of a client."""

    own_allowed: bool = False
    expires_after_h: int = EXPIRES_AFTER_H

    @property
    def waiting_time(self) -> timedelta:
        """Return the time for which a write stays pending."""
        return timedelta(hours=self.expires_after_h)


class PendingWriteFacts(Struct, frozen=True, kw_only=True):
    """The facts about a proposed write that the rules need."""

    status: ApprovalStatus
    expires_at: datetime
    proposed_by: int
    token_id: int | None
    scopes: frozenset[Scope]


class Reviewer(Struct, frozen=True, kw_only=True):
    """The reviewer."""

    user_id: int | None
    token_id: int | None
    scopes: frozenset[Scope]


def effective_status(status: ApprovalStatus, expires_at: datetime, now: datetime) -> ApprovalStatus:
    """Return the current status of a write.

    Past its time it is expired, stored or not.
    """
    return ApprovalStatus.EXPIRED if status is ApprovalStatus.PENDING and now >= expires_at else status


def check_open(waiting: PendingWriteFacts, now: datetime) -> OperationError | None:
    """Why it can no longer be decided, or None when it can."""
    status = effective_status(waiting.status, waiting.expires_at, now)
    if status is ApprovalStatus.EXPIRED:
        return APPROVAL_EXPIRED()
    return None if APPROVAL_LIFE.actions(status) else APPROVAL_DECIDED(status=status.value)


def check_may_approve(
    reviewer: Reviewer, waiting: PendingWriteFacts, policy: ClientApprovalPolicy
) -> OperationError | None:
    """Return why this reviewer may not approve, or None.

    The proposing token never approves.
    """
    if reviewer.user_id == waiting.proposed_by:
        same_token = reviewer.token_id is None or reviewer.token_id == waiting.token_id
        if not policy.own_allowed or same_token:
            return APPROVAL_OWN()
    return _check_reviewer_scopes(reviewer, waiting)


def check_may_reject(reviewer: Reviewer, waiting: PendingWriteFacts) -> OperationError | None:
    """Return why this reviewer may not reject, or None.

    Proposers can always withdraw.
    """
    return None if reviewer.user_id == waiting.proposed_by else _check_reviewer_scopes(reviewer, waiting)


def _check_reviewer_scopes(reviewer: Reviewer, waiting: PendingWriteFacts) -> OperationError | None:
    missing = waiting.scopes - reviewer.scopes
    return SCOPE_MISSING(scopes=", ".join(sorted(missing))) if missing else None


def can_wait_for_approval(operation: Operation[Any, Any]) -> bool:
    """Return True if a write can be stored and shown.

    Its request has fields instead of a document. No field is a secret or unrecorded (a file's content); its answer is
    no secret; and it is no approval itself.
    """
    return (
        operation.effect is Effect.WRITE
        and not operation.public
        and operation.replayable
        and not operation.scopes & _ABOUT_APPROVALS
        and not operation.is_document_operation
        and not _has_unrecorded_fields(operation.request)
    )


def _has_unrecorded_fields(hint: Any) -> bool:
    """Return True if stored requests would lack something."""
    if isinstance(hint, type) and issubclass(hint, SecretStr | SecretBytes):
        return True
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return any(field.exclude or _has_unrecorded_fields(field.annotation) for field in hint.model_fields.values())
    return any(_has_unrecorded_fields(part) for part in get_args(hint))


_NAMING_FIELDS = ("order_ref", "tracking_number", "name", "address")
"""Fields that name a record, most telling first."""
MAX_NAMED_RECORDS = 3
MAX_SENTENCE_LENGTH = 200


def describe_write(title: str, answer: Mapping[str, Any]) -> str:
    """Return the title of a write with its subject, from what it would answer."""
    records = _records(answer)
    names = [name for name in map(_record_name, records[:MAX_NAMED_RECORDS]) if name]
    if not names:
        return title
    more = f" and {len(records) - len(names)} more" if len(records) > len(names) else ""
    return f"{title}: {'; '.join(names)}{more}"[:MAX_SENTENCE_LENGTH]


def _records(answer: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the record of an answer, or its first list of records."""
    for member in answer.values():
        if isinstance(member, Mapping):
            return [member]
        if isinstance(member, list) and member and isinstance(member[0], Mapping):
            return member
    return []


def _record_name(record: Mapping[str, Any]) -> str:
    words = [text for field in _NAMING_FIELDS if isinstance(text := record.get(field), str) and text]
    if not words and isinstance(number := record.get("id"), int):
        words = [f"#{number}"]
    return ", ".join(words)
