"""Outcome of an action: done, under way, or not sent."""

from collections.abc import Mapping
from enum import StrEnum, auto
from typing import TYPE_CHECKING, Any

from haulier.contexts.identity.public import can_send_mail
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.places import declarations
from haulier.web.session import app_of

if TYPE_CHECKING:
    from haulier.web.desk.pages import DeskRequest

UNDER_WAY = frozenset({"queued", "pending", "waiting", "running"})
"""States of work in the background: a page that shows one asks again by itself."""


class ActionOutcome(StrEnum):
    """Outcome of an action, as its page says it."""

    DONE = auto()
    UNDER_WAY = auto()
    NOT_SENT = auto()

    @property
    def mood(self) -> str:
        """Return the colour of its notice."""
        return {ActionOutcome.DONE: "good", ActionOutcome.UNDER_WAY: "info", ActionOutcome.NOT_SENT: "warn"}[self]


def outcome_of(desk: "DeskRequest", operation: Operation[Any, Any], answer: Mapping[str, Any]) -> ActionOutcome:
    """Return the outcome of an action by its answer."""
    if operation.name in declarations().emails["by"] and not can_send_mail(app_of(desk.request)):
        return ActionOutcome.NOT_SENT
    parts = [answer, *(part for part in answer.values() if isinstance(part, dict))]
    moving = any(part.get(name) in UNDER_WAY for part in parts for name in ("status", "state"))
    return ActionOutcome.UNDER_WAY if "asyncId" in answer or moving else ActionOutcome.DONE


def outcome_in(desk: "DeskRequest") -> ActionOutcome:
    """Return the outcome that an address holds."""
    told = desk.request.query_params.get("outcome", "")
    return ActionOutcome(told) if told in set(ActionOutcome) else ActionOutcome.DONE
