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

from haulier.doors.oauth.endpoints import call
from haulier.doors.oauth.faults import NOT_KEPT, description_of, error_of
from haulier.doors.web.asking import FIELDS_MAX, FORM_MAX_BYTES, ask
from haulier.doors.web.rendering import page
from haulier.doors.web.session import Session, house_of, signed_in
from haulier.doors.web.signing_in import to_sign_in
from haulier.kernel.pipeline import Outcome

AGENT = ("client_id", "redirect_uri")
WISH = (*AGENT, "response_type", "code_challenge", "code_challenge_method", "scope", "resource")
DENIED = "The person said no."


class Asked:
    """The request of an agent, as it came in the address or in the form."""

    def __init__(self, request: Request, given: QueryParams) -> None:
        self.request = request
        self.given = given
        self.repeated = sorted({name for name in (*WISH, "state") if len(given.getlist(name)) > 1})
        """A parameter that stands twice might be read differently by two (RFC 6749, section 3.1)."""

    @property
    def published(self) -> bool:
        """Whether the agent names the address of a document about itself."""
        return self.given.get("client_id", "").startswith("https://")

    def of(self, names: tuple[str, ...]) -> dict[str, str]:
        """Some of its parameters; one without a value counts as left out."""
        return {name: self.given[name] for name in names if self.given.get(name)}

    def back(self, redirect_uri: str, **said: str) -> Response:
        """Send the browser back to the agent, with the state it gave and the name of this server (RFC 9207)."""
        state = self.given.get("state")
        params = {**said, **({"state": state} if state else {}), "iss": house_of(self.request).base_url}
        joint = "&" if urlsplit(redirect_uri).query else "?"
        return RedirectResponse(f"{redirect_uri}{joint}{urlencode(params)}", 303, NOT_KEPT)

    def refuse(self, redirect_uri: str, outcome: Outcome) -> Response:
        """Send the browser back with what was wrong."""
        return self.back(redirect_uri, error=error_of(outcome), error_description=description_of(outcome))


async def authorize(request: Request) -> Response:
    """Show what an agent wants, to somebody who is signed in."""
    asked = Asked(request, request.query_params)
    session = await signed_in(request)
    if session is None and asked.published:
        return to_sign_in(request)  # nothing is fetched for somebody whom nobody knows
    agent = await _agent(asked, session)
    if isinstance(agent, Response):
        return agent
    wish = await _wish(asked, agent, session)
    if isinstance(wish, Response):
        return wish
    if session is None:
        return to_sign_in(request)
    return _shown(asked, session, agent, wish)


async def decide(request: Request) -> Response:
    """Take the decision of the person, from a form of our own page only."""
    asked = Asked(request, await _form(request))
    session = await signed_in(request)
    if session is None or not session.checked(request, asked.given):
        return _told(request, session, 403, "consent.again")
    agent = await _agent(asked, session)
    if isinstance(agent, Response):
        return agent
    if asked.given.get("decision") != "allow":
        return asked.back(agent.redirect_uri, error="access_denied", error_description=DENIED)
    wish = await _wish(asked, agent, session)
    if isinstance(wish, Response):
        return wish
    chosen = asked.given.getlist("scopes")
    if not chosen:
        return _shown(asked, session, agent, wish, status_code=422, problem="consent.nothing_ticked")
    values = {**asked.of(WISH), "scopes": chosen}
    outcome = await call(request, "grant_agent_access", values, token=session.token)
    if outcome.answer is None:
        return asked.refuse(agent.redirect_uri, outcome)
    code: Any = outcome.answer
    return asked.back(code.redirect_uri, code=code.code)


async def _agent(asked: Asked, session: Session | None) -> Any:
    """The agent and where it is answered; or a page that says why there is none."""
    if set(asked.repeated) & set(AGENT):
        return _told(asked.request, session, 400, "consent.broken_link")
    if asked.published:
        met = await ask(asked.request, "meet_agent", asked.of(("client_id",)), session=session)
        if met.error is not None:
            return _told(asked.request, session, met.status, message=met.error["message"])
    outcome = await ask(asked.request, "find_agent", asked.of(AGENT))
    if (said := outcome.error) is not None:
        return _told(asked.request, session, outcome.status, message=said["message"])
    return outcome.answer


async def _wish(asked: Asked, agent: Any, session: Session | None) -> Any:
    """What the agent wants, in words; or the way back to it with what is wrong."""
    if asked.repeated:
        return asked.back(agent.redirect_uri, error="invalid_request", error_description=", ".join(asked.repeated))
    outcome = await ask(asked.request, "read_agent_request", asked.of(WISH), session=session)
    if outcome.answer is None:
        said = await call(asked.request, "read_agent_request", asked.of(WISH))
        return asked.refuse(agent.redirect_uri, said)
    return outcome.answer


def _shown(asked: Asked, session: Session, agent: Any, wish: Any, **words: Any) -> Response:
    shown = page(
        asked.request,
        "consent.html",
        session=session,
        forms_to=f"'self' {_source(agent.redirect_uri)}",
        agent=agent,
        server=wish.server,
        reads=[one for one in wish.scopes if one.yours and not one.changes],
        changes=[one for one in wish.scopes if one.yours and one.changes],
        withheld=[one for one in wish.scopes if not one.yours],
        carried=asked.of((*WISH, "state")),
        **words,
    )
    return _unframed(shown)


def _told(
    request: Request, session: Session | None, status: int, text: str = "", message: str | None = None
) -> Response:
    shown = page(
        request,
        "consent_refused.html",
        session=session,
        status_code=status,
        text=text,
        message=message,
        title="consent.title",
    )
    return _unframed(shown)


def _unframed(response: Response) -> Response:
    """Nobody may lay this page under theirs, and nobody keeps it."""
    response.headers.update({"X-Frame-Options": "DENY", **NOT_KEPT})
    return response


def _source(redirect_uri: str) -> str:
    """The agent's address as a source of the page's policy, which otherwise stops the way back; it cannot say `[::1]`."""
    parts = urlsplit(redirect_uri)
    return f"{parts.scheme}:" if "[" in parts.netloc else f"{parts.scheme}://{parts.netloc}"


async def _form(request: Request) -> QueryParams:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > FORM_MAX_BYTES:
            raise HTTPException(413)
    try:
        return QueryParams(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        raise HTTPException(400) from None
