"""A valid request for each operation of the agent."""

EXAMPLES: dict[str, dict[str, object]] = {
    "start_agent_session": {"title": "The morning"},
    "list_agent_sessions": {"status": "open"},
    "get_agent_session": {"agent_session_id": "$agent_session_id"},
    "end_agent_session": {"agent_session_id": "$agent_session_id"},
    "delete_agent_session": {"agent_session_id": "$agent_session_id"},
    "send_agent_turn": {"agent_session_id": "$agent_session_id", "text": "What is late today?"},
    "list_agent_turns": {"agent_session_id": "$agent_session_id"},
    "get_agent_turn": {"agent_turn_id": "$agent_turn_id"},
    "list_agent_events": {"agent_session_id": "$agent_session_id"},
    "open_agent_channel": {"agent_session_id": "$agent_session_id"},
    "stop_agent_turn": {"agent_turn_id": "$agent_turn_id"},
    "get_agent_usage": {},
    "get_agent_policy": {},
    "set_agent_policy": {"daily_turns": 500, "max_steps": 6},
}
