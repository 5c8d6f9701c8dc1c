"""What lives of a page made by hand: a part of it that a stream tells anew while the page is open.

In such a part everything that can change has a name of its own (`data-id`): what changed is renewed where it stands, what is
gone is struck through, and what is new waits behind a button, as in lists (docs/decisions/desk.md).
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from msgspec import Struct

from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.pages import DeskRequest, state_of
from haulier.web.sse import Heard

LEAST_BETWEEN_S = 1.0
"""However busy the business is, a page is told no more often."""


def nothing_else(desk: DeskRequest) -> Sequence[Heard]:
    """Of most parts the audit trail tells all."""
    return ()


def nothing_fixed(found: dict[str, Any]) -> dict[str, str]:
    """Most parts show what is true now."""
    return {}


class LivePart(Struct, frozen=True, kw_only=True):
    """The part of a page that is told anew when records of the kinds that it is about change."""

    name: str
    template: str
    load: Callable[[DeskRequest], Awaitable[dict[str, Any] | None]]
    """What the template shows; None where it cannot be shown."""
    reads: tuple[Operation[Any, Any], ...]
    """What is asked for it. None of them is asked for by itself if one may not be."""
    about: tuple[str, ...]
    """The kinds of records that it is about, as the audit trail calls them."""
    also: Callable[[DeskRequest], Sequence[Heard]] = nothing_else
    """Which notices bring it besides those of the audit trail."""
    pause_s: float = LEAST_BETWEEN_S
    """So many seconds at least lie between two messages."""

    fixed: Callable[[dict[str, Any]], dict[str, str]] = nothing_fixed
    """What the address names from now on, whatever it left open: the day of a page does not change at midnight."""

    def may_live(self, desk: DeskRequest) -> bool:
        """Whether the reads may repeat themselves: neither audited nor limited, and one of them for this person."""
        asked = [each for each in self.reads if desk.may(each)]
        return bool(asked) and not any(each.audited or each.limits for each in asked)

    def shown(self, desk: DeskRequest, found: dict[str, Any]) -> dict[str, Any]:
        """The part as the page has it at first, with the address where it is told anew."""
        html = desk.part(self.template, **found)
        asked = {name: texts for name, texts in desk.texts.items() if name not in {"done", "undo", "seen"}}
        query = {**asked, **self.fixed(found)}
        address = f"/desk/live-parts/{self.name}?{urlencode({**query, 'seen': state_of(html)}, doseq=True)}"
        return {"part": Markup(html), "live": address if self.may_live(desk) else None}
