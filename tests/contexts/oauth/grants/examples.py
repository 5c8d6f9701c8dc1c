"""One valid request for each operation of grants."""

_AGENT = "agent-0123456789abcdef0123456789abcdef"
_REQUEST = {
    "client_id": _AGENT,
    "response_type": "code",
    "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    "code_challenge_method": "S256",
    "scope": "orders:read",
}
"""A request for access with the challenge of RFC 7636, appendix B."""

EXAMPLES: dict[str, dict[str, object]] = {
    "register_agent": {"client_name": "Desk assistant", "redirect_uris": ["http://127.0.0.1:33418/callback"]},
    "find_agent": {"client_id": _AGENT},
    "resolve_agent_metadata": {"client_id": "https://agents.example/about.json"},
    "read_agent_request": {**_REQUEST},
    "grant_agent_access": {**_REQUEST, "scopes": ["orders:read"]},
    "exchange_agent_code": {
        "client_id": _AGENT,
        "code": "hlcode_0123456789",
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    },
    "refresh_agent_tokens": {"client_id": _AGENT, "refresh_token": "hlrefresh_0123456789"},
    "revoke_agent_token": {"client_id": _AGENT, "token": "hlrefresh_0123456789"},
    "list_connected_agents": {"user_id": "$user_id"},
    "disconnect_agent": {"connection_id": "$connection_id"},
}
