"""What a call of a tool gives back: the structured answer, and the same as text for hosts that read only that."""

from typing import Any

import mcp_types as types
import msgspec
from msgspec import UNSET, Struct, UnsetType

from haulier.kernel import codec
from haulier.kernel.pipeline import Outcome

DEPRECATION = "haulier/deprecation"
"""The key of `_meta` under which a result warns of something that will stop working."""


class Text(Struct, frozen=True):
    """One piece of text."""

    type: str
    text: str


class Result(Struct, frozen=True, kw_only=True, rename="camel"):
    """The result of a call, as the protocol writes it."""

    content: list[Text]
    structured_content: msgspec.Raw
    is_error: bool
    result_type: str | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = msgspec.field(name="_meta", default=UNSET)

    def for_the_sdk(self) -> types.CallToolResult:
        """The same as the SDK's type."""
        return types.CallToolResult.model_validate(msgspec.json.decode(codec.encode(self)))

    def in_envelope(self, around: dict[str, Any]) -> "Result":
        """The same in the newer protocol's envelope: complete, and stamped with what stands `around`."""
        meta = around if self.meta is UNSET else {**self.meta, **around}
        return msgspec.structs.replace(self, result_type="complete", meta=meta)


def result_of(outcome: Outcome, warning: str | None = None) -> Result:
    """The result of a call: the answer, a preview of it, or the error body. A queued write's answer says so itself."""
    if outcome.error is not None:
        return refused(outcome.error, warning)
    if outcome.letters is not None:
        return _result({"result": True, "preview": outcome.answer, **outcome.rehearsed}, warning)
    return _result(outcome.answer, warning)


def refused(error: dict[str, Any], warning: str | None = None) -> Result:
    """A refusal: the error body of REST, marked so that the model sees it and can mend its call."""
    return _result(error, warning, is_error=True)


def _result(document: Any, warning: str | None, *, is_error: bool = False) -> Result:
    written = codec.encode(document)
    texts = (written.decode(), *((warning,) if warning else ()))
    return Result(
        content=[Text("text", text) for text in texts],
        structured_content=msgspec.Raw(written),
        is_error=is_error,
        meta={DEPRECATION: warning} if warning else UNSET,
    )
