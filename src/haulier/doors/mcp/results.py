"""What a call of a tool gives back: the structured answer, and the same as text for hosts that read only that."""

from typing import Any

import mcp_types as types
import msgspec
from msgspec import UNSET, Struct, UnsetType

from haulier.kernel.operations import codec
from haulier.kernel.pipeline.result import OperationResult

DEPRECATION_META_KEY = "haulier/deprecation"
"""The key of `_meta` under which a result warns of something that will stop working."""


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

    def to_sdk_result(self) -> types.CallToolResult:
        """The same as the SDK's type."""
        return types.CallToolResult.model_validate(msgspec.json.decode(codec.encode_json(self)))

    def with_envelope(self, around: dict[str, Any]) -> "ToolResult":
        """The same in the newer protocol's envelope: complete, and stamped with what stands `around`."""
        meta = around if self.meta is UNSET else {**self.meta, **around}
        return msgspec.structs.replace(self, result_type="complete", meta=meta)


def tool_result(outcome: OperationResult, warning: str | None = None) -> ToolResult:
    """The result of a call: the answer, a preview of it, or the error body. A queued write's answer says so itself."""
    if outcome.error is not None:
        return tool_error(outcome.error, warning)
    if outcome.side_effects is not None:
        return _build_tool_result({"result": True, "preview": outcome.answer, **outcome.dry_run_fields}, warning)
    return _build_tool_result(outcome.answer, warning)


def tool_error(error: dict[str, Any], warning: str | None = None) -> ToolResult:
    """A refusal: the error body of REST, marked so that the model sees it and can mend its call."""
    return _build_tool_result(error, warning, is_error=True)


def _build_tool_result(document: Any, warning: str | None, *, is_error: bool = False) -> ToolResult:
    written = codec.encode_json(document)
    texts = (written.decode(), *((warning,) if warning else ()))
    return ToolResult(
        content=[ToolText("text", text) for text in texts],
        structured_content=msgspec.Raw(written),
        is_error=is_error,
        meta={DEPRECATION_META_KEY: warning} if warning else UNSET,
    )
