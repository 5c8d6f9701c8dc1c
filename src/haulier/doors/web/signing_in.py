"""Sign in, and sign out."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from haulier.doors.web.asking import ask, faults, form_of
from haulier.doors.web.rendering import page
from haulier.doors.web.session import forget, from_here, house_of, keep, local, signed_in
from haulier.doors.web.words import language_of, speaker_of

AFTERWARDS = "/mcp-approvals"
"""Where a sign-in leads that came from nowhere."""
DEVICE_MAX = 191
AT_FAULT = 422


def signing_in_pages() -> list[BaseRoute]:
    """`/sign-in` and `/sign-out`."""
    return [
        Route("/sign-in", show, methods=["GET"]),
        Route("/sign-in", sign_in, methods=["POST"]),
        Route("/sign-out", sign_out, methods=["POST"]),
    ]


def to_sign_in(request: Request) -> Response:
    """The way to the sign-in page for somebody who is not signed in, and back again."""
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"/sign-in?next={quote(asked, safe='/')}", 303)


async def show(request: Request) -> Response:
    """The form; somebody who is signed in already goes on at once."""
    wanted = local(request.query_params.get("next"))
    if await signed_in(request):
        return RedirectResponse(wanted or AFTERWARDS, 303)
    return page(request, "sign_in.html", next=wanted or "", email="", faults={})


async def sign_in(request: Request) -> Response:
    """Check the password by the operation `login`, and give the browser its cookie."""
    form = await form_of(request)
    wanted, email = local(form.get("next")) or "", form.get("email", "")
    again = speaker_of(request)("sign_in.again")
    if not from_here(request):
        return page(request, "sign_in.html", status_code=403, next=wanted, email=email, faults={}, message=again)
    device = request.headers.get("user-agent", "")[:DEVICE_MAX]
    asked = {"email": email, "password": form.get("password", ""), "device": device}
    outcome = await ask(request, "login", asked)
    if outcome.error is not None:
        found = faults(outcome)
        said = None if found else outcome.error["message"]
        shown = page(
            request, "sign_in.html", status_code=outcome.status, next=wanted, email=email, faults=found, message=said
        )
        shown.headers.update(outcome.headers)
        return shown
    response = RedirectResponse(wanted or AFTERWARDS, 303)
    session = outcome.answer
    keep(response, house_of(request), session.access_token, session.expires_at)  # type: ignore[union-attr]
    return response


async def sign_out(request: Request) -> Response:
    """End the session here and in the database."""
    session, form, say = await signed_in(request), await form_of(request), speaker_of(request)
    if session and not session.checked(request, form):
        return page(
            request,
            "notice.html",
            session=session,
            status_code=403,
            title=say("page.sign_out"),
            text=say("sign_in.again"),
        )
    if session:
        await ask(request, "logout", session=session)
    response = RedirectResponse(f"/sign-in?lang={language_of(request)}", 303)
    forget(response, house_of(request))
    return response
