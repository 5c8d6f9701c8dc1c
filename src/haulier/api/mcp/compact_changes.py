"""The records that a write would change, in few words: what is new or gone is counted, what differs is told.

A rehearsal of twelve orders lists sixty new records with all their columns, 31 kB; the answer beside it names the orders.
`X-MCP-Detail: full` asks for every record; the REST door and the page of approvals tell them anyway.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec

from haulier.kernel.data.change_capture import RecordChange

_MEMBERS = set(RecordChange.__struct_fields__)


def is_record_change(value: Any) -> bool:
    """Whether a value tells of a record before and after, also as it was stored with a write that waits."""
    return isinstance(value, RecordChange) or (isinstance(value, dict) and value.keys() == _MEMBERS)


def compact_changes(changes: Iterable[Any]) -> list[dict[str, Any]]:
    """Changed records with what differs, then how many of each kind are `created` and `deleted`."""
    plain: list[dict[str, Any]] = [msgspec.to_builtins(change) for change in changes]
    changed = [change for change in plain if change["before"] is not None and change["after"] is not None]
    created = Counter(change["record"] for change in plain if change["before"] is None)
    deleted = Counter(change["record"] for change in plain if change["after"] is None)
    return [
        *changed,
        *({"record": record, "created": count} for record, count in created.items()),
        *({"record": record, "deleted": count} for record, count in deleted.items()),
    ]
