"""Tool results: a structured answer, repeated as text for hosts that need it."""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
import msgspec
from msgspec import UNSET, Struct, UnsetType

from haulier.api.mcp.compact_changes import compact_changes
from haulier.api.mcp.lean_answers import without_nulls
from haulier.kernel.operations import codec
from haulier.kernel.operations.hidden_characters import remove_hidden_from_utf8
from haulier.kernel.pipeline.result import OperationResult

DEPRECATION_META_KEY = "haulier/deprecation"
"""Key in `_meta` for deprecation warnings."""

UNTRUSTED_META_KEY = "haulier/untrusted"
"""Key in `_meta` for the paths of text from untrusted sources."""


class ToolText(Struct, frozen=True):
    """A text content block."""

    type: str
    text: str


class ToolResult(Struct, frozen=True, kw_only=True, rename="camel"):
    """A tool result in the format of the protocol."""

    content: list[ToolText]
    structured_content: msgspec.Raw
    is_error: bool
    result_type: str | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = msgspec.field(name="_meta", default=UNSET)

    @property
    def error_code(self) -> str | None:
        """Code of the error, or None."""
        return msgspec.json.decode(self.structured_content).get("code") if self.is_error else None

    def to_sdk_result(self) -> types.CallToolResult:
        """Convert to the SDK's type."""
        return types.CallToolResult.model_validate(msgspec.json.decode(codec.encode_json(self)))

    def with_envelope(self, envelope: dict[str, Any]) -> "ToolResult":
        """Return a complete result with the metadata of the newer protocol's envelope."""
        meta = envelope if self.meta is UNSET else {**self.meta, **envelope}
        return msgspec.structs.replace(self, result_type="complete", meta=meta)


def tool_result(
    result: OperationResult, untrusted: Sequence[str] = (), warning: str | None = None, *, full_detail: bool = False
) -> ToolResult:
    """Return a result with the answer, its preview or the error body.

    The answer to a queued write contains its approval. If the caller requires approvals, a write that was not queued
    has `queued: false`. `untrusted` are the paths of text from untrusted sources. `full_detail` includes every changed
    record.
    """
    if result.error is not None:
        return tool_error(result.error, warning)
    answer = without_nulls(result.answer, full_detail=full_detail)
    if result.side_effects is not None:
        about = result.dry_run_fields
        if result.changes is not None and not full_detail:
            about = {**about, "changes": compact_changes(result.changes)}
        return _build_tool_result({"result": True, "preview": answer, **about}, warning, untrusted)
    if result.not_queued:
        return _build_tool_result({**answer, "queued": False}, warning, untrusted)
    return _build_tool_result(answer, warning, untrusted)


def tool_answer(answer: dict[str, Any]) -> ToolResult:
    """Return an answer of the interface itself."""
    return _build_tool_result(answer, None)


def tool_error(error: dict[str, Any], warning: str | None = None) -> ToolResult:
    """Return the error body of REST, marked as an error for the model to correct."""
    return _build_tool_result(error, warning, is_error=True)


def _build_tool_result(
    document: Any, warning: str | None, untrusted: Sequence[str] = (), *, is_error: bool = False
) -> ToolResult:
    # Older rows and documents stored unchanged can still contain hidden characters.
    encoded = remove_hidden_from_utf8(codec.encode_json(document))
    texts = (encoded.decode(), *((warning,) if warning else ()))
    meta = {
        **({DEPRECATION_META_KEY: warning} if warning else {}),
        **({UNTRUSTED_META_KEY: untrusted} if untrusted else {}),
    }
    return ToolResult(
        content=[ToolText("text", text) for text in texts],
        structured_content=msgspec.Raw(encoded),
        is_error=is_error,
        meta=meta or UNSET,
    )
