"""The message for each reason and its facts."""

from collections.abc import Callable

from haulier.contexts.planning.builds.rules.unassigned_facts import FactValues
from haulier.solvers.routing.reason_facts import UnassignedReason

SUSPICIOUS_DISTANCE_M = 1_000_000
"""Orders at least as far away have wrong coordinates more often than they are that far away."""


def choose_reason_message(reason: UnassignedReason, facts: FactValues) -> str:
    """The id of the message. Plans stored before a reason had facts get its general message."""
    choose = _CHOICES.get(reason)
    variant = choose(facts) if choose and facts else ""
    return f"build_reason_{variant or reason.value}"


def _pool(facts: FactValues) -> str:
    return f"pool_{facts['why']}" if "why" in facts else ""


def _unreachable(facts: FactValues) -> str:
    if facts.get("place") == "unknown":
        return "no_place"
    return f"unreachable_{facts['missing_way']}" if not _is_suspicious(facts) else "unreachable_coordinates"


def _too_far(facts: FactValues) -> str:
    return "too_far_coordinates" if _is_suspicious(facts) else "too_far"


def _is_suspicious(facts: FactValues) -> bool:
    return int(facts["distance_m"]) >= SUSPICIOUS_DISTANCE_M


def _shift(facts: FactValues) -> str:
    if "earliest_end" not in facts:
        return "shift_window"
    return "shift_end" if int(facts["earliest_end"]) > int(facts["shift_end"]) else "shift_breaks"


_CHOICES: dict[UnassignedReason, Callable[[FactValues], str]] = {
    UnassignedReason.POOL: _pool,
    UnassignedReason.CAPACITY: lambda facts: f"capacity_{facts['dimension']}",
    UnassignedReason.UNREACHABLE: _unreachable,
    UnassignedReason.TOO_FAR: _too_far,
    UnassignedReason.SHIFT: _shift,
    UnassignedReason.WINDOW: lambda _: "window_missed",
    UnassignedReason.LIMITS: lambda facts: str(facts["limit"]).replace("max_", "limits_") if "limit" in facts else "",
    UnassignedReason.LOADING: lambda facts: "loading_alone" if facts["alone"] else "loading_together",
    UnassignedReason.NO_ROOM: lambda _: "no_room_of",
}
