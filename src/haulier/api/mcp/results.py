"""The result of a tool call: the structured answer, and the same as text for hosts that read only text."""

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
"""The key of `_meta` under which a result warns of something that will stop working."""

UNTRUSTED_META_KEY = "haulier/untrusted"
"""The key of `_meta` under which stand the places of texts that strangers write."""


class ToolText(Struct, frozen=True):
    """One piece of text."""

    type: str
    text: str


class ToolResult(Struct, frozen=True, kw_only=True, rename="camel"):
    """The result of a call, as the protocol writes it."""

    content: list[ToolText]
    structured_content: msgspec.Raw
    is_error: bool
    result_type: str | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = msgspec.field(name="_meta", default=UNSET)

    @property
    def error_code(self) -> str | None:
        """The code of an error; None where there is none."""
        return msgspec.json.decode(self.structured_content).get("code") if self.is_error else None

    def to_sdk_result(self) -> types.CallToolResult:
        """The same as the SDK's type."""
        return types.CallToolResult.model_validate(msgspec.json.decode(codec.encode_json(self)))

    def with_envelope(self, envelope: dict[str, Any]) -> "ToolResult":
        """The same in the newer protocol's envelope: complete, and with the members of `envelope`."""
        meta = envelope if self.meta is UNSET else {**self.meta, **envelope}
        return msgspec.structs.replace(self, result_type="complete", meta=meta)


def tool_result(
    result: OperationResult, untrusted: Sequence[str] = (), warning: str | None = None, *, full_detail: bool = False
) -> ToolResult:
    """The result of a call: the answer, a preview of it, or the error body. A queued write's answer says so itself.

    Where the caller asked that writes wait, one that was not queued says so with `queued: false`.
    `untrusted` are the places of texts that strangers write. In full detail every changed record is told.
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


def tool_error(error: dict[str, Any], warning: str | None = None) -> ToolResult:
    """An error: the error body of REST, marked so that the model sees it and can correct its call."""
    return _build_tool_result(error, warning, is_error=True)


def _build_tool_result(
    document: Any, warning: str | None, untrusted: Sequence[str] = (), *, is_error: bool = False
) -> ToolResult:
    # Why: documents that were stored byte for byte, and rows older than the rule, may still hold them.
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
