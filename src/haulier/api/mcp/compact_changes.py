"""Compact lists of record changes: new and deleted records are only counted.

A dry run of twelve orders lists sixty new records with all columns, 31 kB, although the answer already names the
orders. `X-MCP-Detail: full` returns every record, as do the REST API and the approval page.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from haulier.kernel.data.change_capture import RecordChange

_MEMBERS = set(RecordChange.__struct_fields__)


def is_record_change(value: Any) -> bool:
    """Return True for a change of a record, including one stored with a pending write."""
    return isinstance(value, RecordChange) or (isinstance(value, dict) and value.keys() == _MEMBERS)


def compact_changes(changes: Iterable[Any]) -> list[dict[str, Any]]:
    """Return changed records, then counts of created and deleted ones by kind."""
    plain: list[dict[str, Any]] = [msgspec.to_builtins(change) for change in changes]
    changed = [change for change in plain if change["before"] is not None and change["after"] is not None]
    created = Counter(change["record"] for change in plain if change["before"] is None)
    deleted = Counter(change["record"] for change in plain if change["after"] is None)
    return [
        *changed,
        *({"record": record, "created": count} for record, count in created.items()),
        *({"record": record, "deleted": count} for record, count in deleted.items()),
    ]
