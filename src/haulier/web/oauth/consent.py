"""Authorization endpoint (RFC 6749, section 4.1): sign-in, consent and decision.

The form carries the agent's whole request, so nothing is stored between page and answer; everything is checked again
when it returns. For an invalid agent or redirect URI, the page shows an error and does not redirect.
"""

from typing import Any
from urllib.parse import urlencode, urlsplit

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from haulier.contexts.oauth.grants.contract import AgentAccessRequest, AgentDetail
from haulier.contexts.oauth.grants.operations import (
    find_agent,
    grant_agent_access,
    read_agent_request,
    resolve_agent_metadata,
)
from haulier.web.oauth.endpoints import call_as_agent
from haulier.web.oauth.errors import NO_STORE_HEADERS, oauth_error_code, oauth_error_description
from haulier.web.operations_client import Refused, call_with_texts, read_form_fields
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import OPENER_HEADERS, render_page
from haulier.web.session import WebSession, app_of, current_session

AGENT_PARAMETERS = ("client_id", "redirect_uri")
AUTHORIZATION_PARAMETERS = (
    *AGENT_PARAMETERS,
    "response_type",
    "code_challenge",
    "code_challenge_method",
    "scope",
    "resource",
)
DENIED_DESCRIPTION = "The person said no."


class AuthorizationRequest:
    """The request of an agent, as it came in the address or in the form."""

    def __init__(self, request: Request, parameters: QueryParams) -> None:
        self.request = request
        self.given = parameters
        self.repeated = sorted(
            {name for name in (*AUTHORIZATION_PARAMETERS, "state") if len(parameters.getlist(name)) > 1}
        )
        """A repeated parameter might be read differently by two programs (RFC 6749, section 3.1)."""

    @property
    def has_published_metadata(self) -> bool:
        """Return True if the agent publishes a metadata document."""
        return self.given.get("client_id", "").startswith("https://")

    def selected_parameters(self, names: tuple[str, ...]) -> dict[str, str]:
        """Some of its parameters; one without a value counts as left out."""
        return {name: self.given[name] for name in names if self.given.get(name)}

    def redirect_back(self, redirect_uri: str, **result: str) -> Response:
        """Redirect to the agent with its state and this server's issuer (RFC 9207)."""
        state = self.given.get("state")
        params = {**result, **({"state": state} if state else {}), "iss": app_of(self.request).base_url}
        joint = "&" if urlsplit(redirect_uri).query else "?"
        return RedirectResponse(f"{redirect_uri}{joint}{urlencode(params)}", 303, NO_STORE_HEADERS)

    def redirect_with_error(self, redirect_uri: str, refused: Refused) -> Response:
        """Send the browser back with what was wrong."""
        return self.redirect_back(
            redirect_uri, error=oauth_error_code(refused), error_description=oauth_error_description(refused)
        )


async def authorize_page(request: Request) -> Response:
    """Show an agent's request to the signed-in user."""
    authorization_request = AuthorizationRequest(request, request.query_params)
    session = await current_session(request)
    if session is None and authorization_request.has_published_metadata:
        return redirect_to_sign_in(request)  # Documents are fetched for signed-in users only.
    agent = await _find_agent(authorization_request, session)
    if isinstance(agent, Response):
        return agent
    access_request = await _read_agent_request(authorization_request, agent, session)
    if isinstance(access_request, Response):
        return access_request
    if session is None:
        return redirect_to_sign_in(request)
    return _consent_page(authorization_request, session, agent, access_request)


async def submit_decision(request: Request) -> Response:
    """Take the decision of the person, from a form of our own page only."""
    authorization_request = AuthorizationRequest(request, QueryParams(await read_form_fields(request)))
    session = await current_session(request)
    if session is None or not session.is_genuine_form(request, authorization_request.given):
        return _refusal_page(request, session, 403, "consent.again")
    agent = await _find_agent(authorization_request, session)
    if isinstance(agent, Response):
        return agent
    if authorization_request.given.get("decision") != "allow":
        return authorization_request.redirect_back(
            agent.redirect_uri, error="access_denied", error_description=DENIED_DESCRIPTION
        )
    access_request = await _read_agent_request(authorization_request, agent, session)
    if isinstance(access_request, Response):
        return access_request
    chosen = authorization_request.given.getlist("scopes")
    if not chosen:
        return _consent_page(
            authorization_request, session, agent, access_request, status_code=422, problem="consent.nothing_ticked"
        )
    values = {**authorization_request.selected_parameters(AUTHORIZATION_PARAMETERS), "scopes": chosen}
    result = await call_as_agent(request, grant_agent_access, values, token=session.token)
    if isinstance(result, Refused):
        return authorization_request.redirect_with_error(agent.redirect_uri, result)
    return authorization_request.redirect_back(result.answer.redirect_uri, code=result.answer.code)


async def _find_agent(
    authorization_request: AuthorizationRequest, session: WebSession | None
) -> AgentDetail | Response:
    """The agent and its address; or a page that says why there is none."""
    if set(authorization_request.repeated) & set(AGENT_PARAMETERS):
        return _refusal_page(authorization_request.request, session, 400, "consent.broken_link")
    if authorization_request.has_published_metadata:
        resolved = await call_with_texts(
            authorization_request.request,
            resolve_agent_metadata,
            authorization_request.selected_parameters(("client_id",)),
            session=session,
        )
        if isinstance(resolved, Refused):
            return _refusal_page(authorization_request.request, session, resolved.status, message=resolved.message)
    result = await call_with_texts(
        authorization_request.request, find_agent, authorization_request.selected_parameters(AGENT_PARAMETERS)
    )
    if isinstance(result, Refused):
        return _refusal_page(authorization_request.request, session, result.status, message=result.message)
    return result.answer


async def _read_agent_request(
    authorization_request: AuthorizationRequest, agent: AgentDetail, session: WebSession | None
) -> AgentAccessRequest | Response:
    """Return the agent's request, or a redirect with the error."""
    if authorization_request.repeated:
        return authorization_request.redirect_back(
            agent.redirect_uri, error="invalid_request", error_description=", ".join(authorization_request.repeated)
        )
    parameters = authorization_request.selected_parameters(AUTHORIZATION_PARAMETERS)
    result = await call_with_texts(authorization_request.request, read_agent_request, parameters, session=session)
    if not isinstance(result, Refused):
        return result.answer
    # An `error_description` is ASCII (RFC 6749), so it is English in every language of the page.
    in_english = await call_as_agent(authorization_request.request, read_agent_request, parameters)
    refused = in_english if isinstance(in_english, Refused) else result
    return authorization_request.redirect_with_error(agent.redirect_uri, refused)


def _consent_page(
    authorization_request: AuthorizationRequest,
    session: WebSession,
    agent: AgentDetail,
    access_request: AgentAccessRequest,
    **context: Any,
) -> Response:
    response = render_page(
        authorization_request.request,
        "consent.html",
        session=session,
        forms_to=f"'self' {_policy_source(agent.redirect_uri)}",
        agent=agent,
        server=access_request.server,
        reads=[scope for scope in access_request.scopes if scope.yours and not scope.changes],
        changes=[scope for scope in access_request.scopes if scope.yours and scope.changes],
        withheld=[scope for scope in access_request.scopes if not scope.yours],
        carried=authorization_request.selected_parameters((*AUTHORIZATION_PARAMETERS, "state")),
        **context,
    )
    return _without_framing(response)


def _refusal_page(
    request: Request, session: WebSession | None, status: int, text: str = "", message: str | None = None
) -> Response:
    response = render_page(
        request,
        "consent_refused.html",
        session=session,
        status_code=status,
        text=text,
        message=message,
        title="consent.title",
    )
    return _without_framing(response)


def _without_framing(response: Response) -> Response:
    """No other page may frame this one, and no cache stores it."""
    response.headers.update({"X-Frame-Options": "DENY", **OPENER_HEADERS, **NO_STORE_HEADERS})
    return response


def _policy_source(redirect_uri: str) -> str:
    """Return the agent's address as a source of the page's policy.

    The policy cannot express `[::1]`.
    """
    parts = urlsplit(redirect_uri)
    return f"{parts.scheme}:" if "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}"
