"""Rules of retention days and due records."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from haulier.kernel.data.personal_data import RecordKind, RetentionRule, list_retention_rules
from haulier.kernel.operations.errors import declare_error

RETENTION_TOO_SHORT = declare_error("retention_too_short", 422, fields=("days",))


def rules_by_kind() -> Mapping[RecordKind, list[RetentionRule]]:
    """Return the rules of each kind of record, the kinds by name."""
    rules: dict[RecordKind, list[RetentionRule]] = {}
    for rule in sorted(list_retention_rules(), key=lambda rule: rule.kind.value):
        rules.setdefault(rule.kind, []).append(rule)
    return rules


def minimum_days(kind: RecordKind) -> int:
    """Return the minimum days of a kind: the maximum that one of its tables needs."""
    return max(rule.minimum_days for rule in rules_by_kind()[kind])


def require_days(kind: RecordKind, days: int) -> None:
    """Raise `RETENTION_TOO_SHORT` for fewer days than a kind needs."""
    if days < (minimum := minimum_days(kind)):
        raise RETENTION_TOO_SHORT(minimum=minimum)


def due_before(now: datetime, days: int) -> datetime:
    """Return the time before which records are due."""
    return now - timedelta(days=days)
