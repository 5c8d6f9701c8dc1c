"""The pages behind the links of letters: an invitation is accepted, a lost password is set anew.

The code stands in the fragment of the link, which browsers send nowhere: a script puts it into the form, and without scripts
it is pasted there. From then on it travels in forms, never in an address.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.doors.web.asking import ask, faults, form_of
from haulier.doors.web.rendering import page
from haulier.doors.web.session import from_here
from haulier.doors.web.words import language_of
from haulier.kernel.pipeline import Outcome


def letter_pages() -> list[BaseRoute]:
    """`/invitation`, `/reset-password` and `/forgotten-password`."""
    return [
        Route("/invitation", look_at_invitation, methods=["GET", "POST"]),
        Route("/reset-password", reset_password, methods=["GET", "POST"]),
        Route("/forgotten-password", forgotten_password, methods=["GET", "POST"]),
    ]


async def look_at_invitation(request: Request) -> Response:
    """First the code, then who is invited by whom, then a password: a step each."""
    form = await _sent(request)
    if form is None:
        return page(request, "invitation.html", faults={})
    token = _code(form)
    read = await ask(request, "read_invitation", {"token": token})
    if read.error is not None:
        return _again(request, "invitation.html", read)
    letter: Any = read.answer
    if form.get("step") != "accept":
        return page(request, "invitation.html", letter=letter, token=token, faults={})
    name = form.get("name", "").strip()
    chosen = {"token": token, "password": form.get("password", ""), "name": name, "language": language_of(request)}
    accepted = await ask(request, "accept_invitation", chosen)
    if accepted.error is not None:
        return _again(request, "invitation.html", accepted, letter=letter, token=token, name=name)
    done = accepted.answer.message  # type: ignore[union-attr]
    return page(request, "sign_in.html", next="", email=letter.email, faults={}, done=done)


async def reset_password(request: Request) -> Response:
    """The code and a new password."""
    form = await _sent(request)
    if form is None:
        return page(request, "reset_password.html", faults={}, token="")
    token = _code(form)
    outcome = await ask(request, "reset_password", {"token": token, "new_password": form.get("new_password", "")})
    if outcome.error is not None:
        return _again(request, "reset_password.html", outcome, token=token)
    return page(request, "sign_in.html", next="", email="", faults={}, done=outcome.answer.message)  # type: ignore[union-attr]


async def forgotten_password(request: Request) -> Response:
    """An e-mail address; the answer is the same whether or not anybody has it."""
    form = await _sent(request)
    if form is None:
        return page(request, "forgotten_password.html", faults={}, email="")
    email = form.get("email", "")
    outcome = await ask(request, "request_password_reset", {"email": email})
    if outcome.error is not None:
        return _again(request, "forgotten_password.html", outcome, email=email)
    return page(request, "forgotten_password.html", faults={}, done=outcome.answer.message)  # type: ignore[union-attr]


async def _sent(request: Request) -> dict[str, str] | None:
    """The form that one of our pages sent; None for a first look, and for what another site sent."""
    if request.method != "POST":
        return None
    form = await form_of(request)
    return form if from_here(request) else None


def _code(form: dict[str, str]) -> str:
    """The code, also where the whole link was pasted."""
    return form.get("token", "").strip().rpartition("#")[2]


def _again(request: Request, template: str, outcome: Outcome, **values: Any) -> Response:
    """The form once more, with what is wrong beside its fields, or above them where it is about none."""
    found = faults(outcome)
    message = None if found else (outcome.error or {})["message"]
    shown = page(request, template, status_code=outcome.status, faults=found, message=message, **values)
    shown.headers.update(outcome.headers)
    return shown
