"""Errors of agent conversations: ended, busy, expired, or over the daily limit."""

from typing import Any

from tests.contexts.control_tower.agent.makers import has_agent, make_session
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create a conversation in each state; the rival has a limit of zero."""
    await has_agent(app)
    await has_agent(app, "rival")
    await app.answer("rival", "set_agent_policy", {"daily_turns": 0})
    made = {
        "ended": await make_session(app),
        "busy": await make_session(app),
        "rival": await make_session(app, "rival"),
    }
    await app.answer("admin", "end_agent_session", {"agent_session_id": made["ended"]})
    over = await app.answer("admin", "send_agent_turn", {"agent_session_id": made["busy"], "text": "help"})
    await app.answer("admin", "stop_agent_turn", {"agent_turn_id": over.turn.id})
    await app.answer("admin", "send_agent_turn", {"agent_session_id": made["busy"], "text": "help"})
    return made | {"over": over.turn.id}


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    ended, busy = {"agent_session_id": ids["ended"]}, {"agent_session_id": ids["busy"]}
    return {
        ("send_agent_turn", "AGENT_SESSION_ENDED"): ("admin", {**ended, "text": "help"}),
        ("send_agent_turn", "AGENT_TURN_RUNNING"): ("admin", {**busy, "text": "help"}),
        ("send_agent_turn", "DAILY_CAP_REACHED"): ("rival", {"agent_session_id": ids["rival"], "text": "help"}),
        ("end_agent_session", "AGENT_SESSION_ENDED"): ("admin", ended),
        ("end_agent_session", "AGENT_TURN_RUNNING"): ("admin", busy),
        ("delete_agent_session", "AGENT_TURN_RUNNING"): ("admin", busy),
        ("stop_agent_turn", "AGENT_TURN_OVER"): ("admin", {"agent_turn_id": ids["over"]}),
    }
