"""The authorisation endpoint (RFC 6749, section 4.1): a person signs in, sees what an agent wants, and decides.

The form carries the agent's whole request, so that nothing is kept between page and answer; everything is checked again when it
comes back. Where agent or address are wrong, the person is told and nobody is sent anywhere.
"""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from haulier.kernel.pipeline.result import OperationResult
from haulier.web.oauth.endpoints import call_operation_json
from haulier.web.oauth.errors import NO_STORE_HEADERS, oauth_error_code, oauth_error_description
from haulier.web.operations_client import MAX_FORM_BYTES, MAX_FORM_FIELDS, call_operation
from haulier.web.pages.sign_in import redirect_to_sign_in
from haulier.web.rendering import render_page
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

    def __init__(self, request: Request, given: QueryParams) -> None:
        self.request = request
        self.given = given
        self.repeated = sorted({name for name in (*AUTHORIZATION_PARAMETERS, "state") if len(given.getlist(name)) > 1})
        """A parameter that stands twice might be read differently by two (RFC 6749, section 3.1)."""

    @property
    def has_published_metadata(self) -> bool:
        """Whether the agent names the address of a document about itself."""
        return self.given.get("client_id", "").startswith("https://")

    def selected_parameters(self, names: tuple[str, ...]) -> dict[str, str]:
        """Some of its parameters; one without a value counts as left out."""
        return {name: self.given[name] for name in names if self.given.get(name)}

    def redirect_back(self, redirect_uri: str, **said: str) -> Response:
        """Send the browser back to the agent, with the state it gave and the name of this server (RFC 9207)."""
        state = self.given.get("state")
        params = {**said, **({"state": state} if state else {}), "iss": app_of(self.request).base_url}
        joint = "&" if urlsplit(redirect_uri).query else "?"
        return RedirectResponse(f"{redirect_uri}{joint}{urlencode(params)}", 303, NO_STORE_HEADERS)

    def redirect_with_error(self, redirect_uri: str, outcome: OperationResult) -> Response:
        """Send the browser back with what was wrong."""
        return self.redirect_back(
            redirect_uri, error=oauth_error_code(outcome), error_description=oauth_error_description(outcome)
        )


async def authorize_page(request: Request) -> Response:
    """Show what an agent wants, to somebody who is signed in."""
    authorization_request = AuthorizationRequest(request, request.query_params)
    session = await current_session(request)
    if session is None and authorization_request.has_published_metadata:
        return redirect_to_sign_in(request)  # nothing is fetched for somebody whom nobody knows
    agent = await _find_agent(authorization_request, session)
    if isinstance(agent, Response):
        return agent
    wish = await _read_agent_request(authorization_request, agent, session)
    if isinstance(wish, Response):
        return wish
    if session is None:
        return redirect_to_sign_in(request)
    return _consent_page(authorization_request, session, agent, wish)


async def submit_decision(request: Request) -> Response:
    """Take the decision of the person, from a form of our own page only."""
    authorization_request = AuthorizationRequest(request, await _read_consent_form(request))
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
    wish = await _read_agent_request(authorization_request, agent, session)
    if isinstance(wish, Response):
        return wish
    chosen = authorization_request.given.getlist("scopes")
    if not chosen:
        return _consent_page(
            authorization_request, session, agent, wish, status_code=422, problem="consent.nothing_ticked"
        )
    values = {**authorization_request.selected_parameters(AUTHORIZATION_PARAMETERS), "scopes": chosen}
    outcome = await call_operation_json(request, "grant_agent_access", values, token=session.token)
    if outcome.answer is None:
        return authorization_request.redirect_with_error(agent.redirect_uri, outcome)
    code: Any = outcome.answer
    return authorization_request.redirect_back(code.redirect_uri, code=code.code)


async def _find_agent(authorization_request: AuthorizationRequest, session: WebSession | None) -> Any:
    """The agent and where it is answered; or a page that says why there is none."""
    if set(authorization_request.repeated) & set(AGENT_PARAMETERS):
        return _refusal_page(authorization_request.request, session, 400, "consent.broken_link")
    if authorization_request.has_published_metadata:
        met = await call_operation(
            authorization_request.request,
            "resolve_agent_metadata",
            authorization_request.selected_parameters(("client_id",)),
            session=session,
        )
        if met.error is not None:
            return _refusal_page(authorization_request.request, session, met.status, message=met.error["message"])
    outcome = await call_operation(
        authorization_request.request, "find_agent", authorization_request.selected_parameters(AGENT_PARAMETERS)
    )
    if (said := outcome.error) is not None:
        return _refusal_page(authorization_request.request, session, outcome.status, message=said["message"])
    return outcome.answer


async def _read_agent_request(
    authorization_request: AuthorizationRequest, agent: Any, session: WebSession | None
) -> Any:
    """What the agent wants, in words; or the way back to it with what is wrong."""
    if authorization_request.repeated:
        return authorization_request.redirect_back(
            agent.redirect_uri, error="invalid_request", error_description=", ".join(authorization_request.repeated)
        )
    outcome = await call_operation(
        authorization_request.request,
        "read_agent_request",
        authorization_request.selected_parameters(AUTHORIZATION_PARAMETERS),
        session=session,
    )
    if outcome.answer is None:
        said = await call_operation_json(
            authorization_request.request,
            "read_agent_request",
            authorization_request.selected_parameters(AUTHORIZATION_PARAMETERS),
        )
        return authorization_request.redirect_with_error(agent.redirect_uri, said)
    return outcome.answer


def _consent_page(
    authorization_request: AuthorizationRequest, session: WebSession, agent: Any, wish: Any, **words: Any
) -> Response:
    shown = render_page(
        authorization_request.request,
        "consent.html",
        session=session,
        forms_to=f"'self' {_policy_source(agent.redirect_uri)}",
        agent=agent,
        server=wish.server,
        reads=[one for one in wish.scopes if one.yours and not one.changes],
        changes=[one for one in wish.scopes if one.yours and one.changes],
        withheld=[one for one in wish.scopes if not one.yours],
        carried=authorization_request.selected_parameters((*AUTHORIZATION_PARAMETERS, "state")),
        **words,
    )
    return _without_framing(shown)


def _refusal_page(
    request: Request, session: WebSession | None, status: int, text: str = "", message: str | None = None
) -> Response:
    shown = render_page(
        request,
        "consent_refused.html",
        session=session,
        status_code=status,
        text=text,
        message=message,
        title="consent.title",
    )
    return _without_framing(shown)


def _without_framing(response: Response) -> Response:
    """Nobody may lay this page under theirs, and nobody keeps it."""
    response.headers.update({"X-Frame-Options": "DENY", **NO_STORE_HEADERS})
    return response


def _policy_source(redirect_uri: str) -> str:
    """The agent's address as a source of the page's policy, which otherwise stops the way back; it cannot say `[::1]`."""
    parts = urlsplit(redirect_uri)
    return f"{parts.scheme}:" if "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}"


async def _read_consent_form(request: Request) -> QueryParams:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413)
    try:
        return QueryParams(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS))
    except ValueError:
        raise HTTPException(400) from None
