"""Errors of the agent."""

from haulier.kernel.operations.errors import declare_error

DAILY_CAP_REACHED = declare_error("daily_cap_reached", 429, error_code="DAILY_CAP_REACHED")
"""Exactly the body that the interface requires."""
AGENT_SESSION_ENDED = declare_error("agent_session_ended", 409)
AGENT_TURN_RUNNING = declare_error("agent_turn_running", 409)
AGENT_TURN_OVER = declare_error("agent_turn_over", 409)
