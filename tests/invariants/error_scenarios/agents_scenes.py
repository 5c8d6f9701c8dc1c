"""Errors of agents: unknown agents, excessive scopes, and tokens of other agents."""

from typing import Any

from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App
from tests.web.oauth.scripted_agent import CALLBACK_URL, CODE_VERIFIER, READ_SCOPES, code_challenge

MISSING, ELSEWHERE = {"client_id": "agent-nobody"}, {"redirect_uri": "http://127.0.0.1:1/elsewhere"}
FOREIGN = {"resource": "https://another.example/mcp"}


async def scene(app: App) -> dict[str, Any]:
    """Create an agent with a code, and one with tokens."""
    agent = (await app.answer(None, "register_agent", {"redirect_uris": [CALLBACK_URL]})).client_id
    wish = {**_wish(agent), "scopes": READ_SCOPES.split()}
    codes = [(await app.answer("admin", "grant_agent_access", wish)).code for _ in range(2)]
    proof = {"client_id": agent, "redirect_uri": CALLBACK_URL, "code_verifier": CODE_VERIFIER}
    given = await app.answer(None, "exchange_agent_code", {**proof, "code": codes[0]})
    return {"agent": agent, "code": codes[1], "refresh": given.refresh_token}


def _wish(agent: str) -> dict[str, Any]:
    return {
        "client_id": agent,
        "redirect_uri": CALLBACK_URL,
        "response_type": "code",
        "code_challenge": code_challenge(),
        "code_challenge_method": "S256",
        "scope": READ_SCOPES,
    }


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    known, wish = {"client_id": ids["agent"] or "agent"}, _wish(ids["agent"] or "agent")
    granted = {**wish, "scopes": ["orders:read"]}
    registered = {"redirect_uris": [CALLBACK_URL]}
    found: dict[tuple[str, str], Any] = {
        ("register_agent", "AGENT_METADATA_REFUSED"): (None, {**registered, "client_uri": "http://plain.example"}),
        ("register_agent", "REDIRECT_URI_REFUSED"): (None, {"redirect_uris": ["ftp://files.example/"]}),
        ("resolve_agent_metadata", "AGENT_DOCUMENT_REFUSED"): ("admin", known),
        ("find_agent", "AGENT_UNKNOWN"): (None, MISSING),
        ("find_agent", "REDIRECT_URI_UNKNOWN"): (None, {**known, **ELSEWHERE}),
        ("grant_agent_access", "SCOPES_EXCEEDED"): ("admin", {**wish, "scopes": ["webhooks:write"]}),
        ("describe_operation", "UNKNOWN_OPERATION"): (None, {"name": "nothing"}),
        ("revoke_agent_token", "AGENT_UNKNOWN"): (None, {**MISSING, "token": "guessed"}),
        ("list_connected_agents", "NOT_FOUND"): ("driver", {"user_id": 1}),
    }
    for name, asked in (("read_agent_request", wish), ("grant_agent_access", granted)):
        found[name, "AGENT_UNKNOWN"] = ("admin", {**asked, **MISSING})
        found[name, "REDIRECT_URI_UNKNOWN"] = ("admin", {**asked, **ELSEWHERE})
        found[name, "AGENT_SCOPE_UNKNOWN"] = ("admin", {**asked, "scope": "everything"})
        found[name, "AGENT_TARGET_UNKNOWN"] = ("admin", {**asked, **FOREIGN})
    return {**found, **_of_tokens(ids, known)}


def _of_tokens(ids: dict[str, Any], known: dict[str, Any]) -> Attempts:
    exchange, refresh = "exchange_agent_code", "refresh_agent_tokens"
    proof = {**known, "code": ids["code"] or "code", "code_verifier": CODE_VERIFIER, "redirect_uri": CALLBACK_URL}
    token = {**known, "refresh_token": ids["refresh"] or "token"}
    return {
        (exchange, "AGENT_UNKNOWN"): (None, {**proof, **MISSING}),
        (exchange, "AGENT_CODE_INVALID"): (None, {**proof, "code": "guessed"}),
        (exchange, "AGENT_TARGET_UNKNOWN"): (None, {**proof, **FOREIGN}),
        (refresh, "AGENT_UNKNOWN"): (None, {**token, **MISSING}),
        (refresh, "AGENT_REFRESH_INVALID"): (None, {**token, "refresh_token": "guessed"}),
        (refresh, "AGENT_TARGET_UNKNOWN"): (None, {**token, **FOREIGN}),
        (refresh, "AGENT_SCOPE_UNKNOWN"): (None, {**token, "scope": "everything"}),
        (refresh, "SCOPES_EXCEEDED"): (None, {**token, "scope": "webhooks:write"}),
    }
