"""What a call of a tool gives back: the structured answer, and the same as text for hosts that read only that."""

from typing import Any

import mcp_types as types

from haulier.kernel import codec
from haulier.kernel.pipeline import Outcome

DEPRECATION = "haulier/deprecation"
"""The key of `_meta` under which a result warns of something that will stop working."""


def result_of(outcome: Outcome, warning: str | None = None) -> types.CallToolResult:
    """The result of a call: the answer, a preview of it, or the error body. A queued write's answer says so itself."""
    if outcome.error is not None:
        return refused(outcome.error, warning)
    plain: dict[str, Any] = codec.plain(outcome.answer)
    if outcome.letters is not None:
        plain = {"result": True, "preview": plain, **codec.plain(outcome.rehearsed)}
    return _result(plain, warning)


def refused(error: dict[str, Any], warning: str | None = None) -> types.CallToolResult:
    """A refusal: the error body of REST, marked so that the model sees it and can mend its call."""
    return _result(error, warning, is_error=True)


def _result(document: dict[str, Any], warning: str | None, *, is_error: bool = False) -> types.CallToolResult:
    texts = [codec.encode(document).decode(), *([warning] if warning else [])]
    return types.CallToolResult.model_validate(
        {
            "content": [types.TextContent(type="text", text=text) for text in texts],
            "structuredContent": document,
            "isError": is_error,
            **({"_meta": {DEPRECATION: warning}} if warning else {}),
        }
    )
