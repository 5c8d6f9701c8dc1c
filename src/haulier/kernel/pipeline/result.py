"""The result of a call: an answer or an error body, and the values for the headers of the response."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.kernel.call import OutboxEntry
from haulier.kernel.data.change_capture import RecordChange
from haulier.kernel.http.response_cache import StoreCallback
from haulier.kernel.operations.answers import Answer


class OperationResult(Struct, kw_only=True):
    """The result that a door sends: an answer or an error body, and the values for its headers."""

    language: str
    request_id: str
    client_id: int | None = None
    """The client in whose name the caller was answered."""
    answer: Answer | None = None
    error: dict[str, Any] | None = None
    status: int = 200
    headers: Mapping[str, str] = {}
    replayed: bool = False
    pending_approval: bool = False
    not_queued: bool = False
    """The write was carried out at once although the caller asked that riskier ones wait for a human."""
    commit_begun: bool = False
    """The call was cut off while its write was being committed, which is then kept whole or not at all."""
    unchanged: bool = False
    """The caller has this answer already."""
    cached_body: bytes | None = None
    """The bytes of the same answer as it was sent a moment ago."""
    store: StoreCallback | None = None
    """Where the door puts the bytes of the answer, so that it may be sent again."""
    side_effects: list[OutboxEntry] | None = None
    """What a dry run would have sent; None when the call was real."""
    changes: list[RecordChange] | None = None
    """Which records a dry run would have changed; None when the call was real, or its caller may not see whole records."""
    message: str | None = None
    """What a dry run says about itself."""

    @property
    def dry_run_fields(self) -> dict[str, Any]:
        """The fields beside the answer of a dry run."""
        fields: dict[str, Any] = {"message": self.message, "dry_run": True, "side_effects": self.side_effects}
        return fields if self.changes is None else {**fields, "changes": self.changes}
