"""Steps of the dry-run day about conversations with the operations agent."""

from collections.abc import Iterator

from tests.invariants.dry_run_steps import Step, step


def agent_steps() -> Iterator[Step]:
    """Yield steps of two conversations, one of them ended and deleted."""
    yield step("admin", "set_feature", feature="operations_ai_agent", enabled=True)
    yield step("admin", "set_agent_policy", daily_turns=100)
    for name in ("deleted", "kept"):
        session = {"agent_session_id": f"${name}"}
        yield step("admin", "start_agent_session", {name: "session.id"}, title="The morning")
        yield step("admin", "open_agent_channel", **session)
        yield step("admin", "send_agent_turn", {"asked": "turn.id"}, **session, text="help")
        yield step("admin", "stop_agent_turn", agent_turn_id="$asked")
    yield step("admin", "end_agent_session", agent_session_id="$deleted")
    yield step("admin", "delete_agent_session", agent_session_id="$deleted")
