"""Live part of a handmade page, streamed again while the page is open.

Everything that can change has its own `data-id`: changed parts are replaced, removed ones are struck through, and new
ones wait behind a button as in lists (docs/decisions/desk.md).
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.pages import DeskRequest, state_of
from haulier.web.sse import Heard

LEAST_BETWEEN_S = 1.0
"""Minimum seconds between two messages, however busy the business is."""


def nothing_else(desk: DeskRequest) -> Sequence[Heard]:
    """Notices besides the audit trail: none for most parts."""
    return ()


def nothing_fixed(found: dict[str, Any]) -> dict[str, str]:
    """Most parts show what is true now."""
    return {}


class LivePart(Struct, frozen=True, kw_only=True):
    """The part of a page that is streamed when records of its kinds change."""

    name: str
    template: str
    load: Callable[[DeskRequest], Awaitable[dict[str, Any] | None]]
    """Load the template values, or None if the part cannot be shown."""
    reads: tuple[Operation[Any, Any], ...]
    """Operations that the part reads. Live updates require permission for one of them."""
    about: tuple[str, ...]
    """The kinds of records that it is about, as the audit trail calls them."""
    also: Callable[[DeskRequest], Sequence[Heard]] = nothing_else
    """Notices that trigger an update besides those of the audit trail."""
    pause_s: float = LEAST_BETWEEN_S
    """Minimum seconds between two messages."""
    streamed_at: str = "/desk/live-parts"
    """Address of its stream, without the name. Pages of optional modules have their own."""

    fixed: Callable[[dict[str, Any]], dict[str, str]] = nothing_fixed
    """Parameters fixed when the page opens: the day of a page does not change at midnight."""

    def may_live(self, desk: DeskRequest) -> bool:
        """Return True if the reads may be repeated.

        They must be neither audited nor rate limited, and one must be permitted.
        """
        asked = [each for each in self.reads if desk.may(each)]
        return bool(asked) and not any(each.audited or each.limits for each in asked)

    def shown(self, desk: DeskRequest, found: dict[str, Any]) -> dict[str, Any]:
        """Return the initial part with its stream address."""
        html = desk.part(self.template, **found)
        asked = {name: texts for name, texts in desk.texts.items() if name not in {"done", "undo", "seen"}}
        query = {**asked, **self.fixed(found)}
        address = f"{self.streamed_at}/{self.name}?{urlencode({**query, 'seen': state_of(html)}, doseq=True)}"
        return {"part": desk.with_own_tokens(html), "live": address if self.may_live(desk) else None}
