"""Output of the pipeline, sent by an interface."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from haulier.kernel.call import OutboxEntry
from haulier.kernel.data.change_capture import RecordChange
from haulier.kernel.http.response_cache import StoreCallback
from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.deprecation import Deprecation


class OperationResult(Struct, kw_only=True):
    """An answer or error body, with the values for the response headers."""

    language: str
    request_id: str
    client_id: int | None = None
    """The client that the call ran for."""
    user_id: int | None = None
    answer: Answer | None = None
    error: dict[str, Any] | None = None
    status: int = 200
    headers: Mapping[str, str] = {}
    deprecations: tuple[Deprecation, ...] = ()
    """Deprecated parts that the request used."""
    replayed: bool = False
    pending_approval: bool = False
    not_queued: bool = False
    """True if the write ran immediately although the caller requires approval of riskier ones."""
    commit_begun: bool = False
    """True if the call timed out during the commit of its write, so that the outcome is unknown."""
    unchanged: bool = False
    """True if the caller already has this answer."""
    cached_body: bytes | None = None
    """The bytes of the answer from the cache."""
    store: StoreCallback | None = None
    """Callback that caches the bytes of the answer."""
    side_effects: list[OutboxEntry] | None = None
    """Side effects that a dry run would have; None for a real call."""
    changes: list[RecordChange] | None = None
    """Records that a dry run would change. None for a real call, or if the caller may not see whole records."""
    message: str | None = None
    """Message about a dry run."""

    @property
    def dry_run_fields(self) -> dict[str, Any]:
        """The fields added to the answer of a dry run."""
        fields: dict[str, Any] = {"message": self.message, "dry_run": True, "side_effects": self.side_effects}
        return fields if self.changes is None else {**fields, "changes": self.changes}
