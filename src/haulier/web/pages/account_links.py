"""The pages behind the links of letters: an invitation is accepted, a lost password is set anew.

The code stands in the fragment of the link, which browsers send nowhere: a script puts it into the form, and without scripts
it is pasted there. From then on it travels in forms, never in an address.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.kernel.pipeline.result import OperationResult
from haulier.web.i18n import page_language
from haulier.web.operations_client import call_operation, field_faults, read_form
from haulier.web.rendering import render_page
from haulier.web.session import is_from_our_page


def account_link_routes() -> list[BaseRoute]:
    """`/invitation`, `/reset-password` and `/forgotten-password`."""
    return [
        Route("/invitation", invitation_page, methods=["GET", "POST"]),
        Route("/reset-password", reset_password_page, methods=["GET", "POST"]),
        Route("/forgotten-password", forgotten_password_page, methods=["GET", "POST"]),
    ]


async def invitation_page(request: Request) -> Response:
    """First the code, then who is invited by whom, then a password: a step each."""
    form = await _form_of_our_page(request)
    if form is None:
        return render_page(request, "invitation.html", faults={})
    token = _code_of_link(form)
    read = await call_operation(request, "read_invitation", {"token": token})
    if read.error is not None:
        return _page_with_faults(request, "invitation.html", read)
    invitation: Any = read.answer
    if form.get("step") != "accept":
        return render_page(request, "invitation.html", invitation=invitation, token=token, faults={})
    name = form.get("name", "").strip()
    chosen = {"token": token, "password": form.get("password", ""), "name": name, "language": page_language(request)}
    accepted = await call_operation(request, "accept_invitation", chosen)
    if accepted.error is not None:
        return _page_with_faults(request, "invitation.html", accepted, invitation=invitation, token=token, name=name)
    done = accepted.answer.message  # type: ignore[union-attr]
    return render_page(request, "sign_in.html", next="", email=invitation.email, faults={}, done=done)


async def reset_password_page(request: Request) -> Response:
    """The code and a new password."""
    form = await _form_of_our_page(request)
    if form is None:
        return render_page(request, "reset_password.html", faults={}, token="")
    token = _code_of_link(form)
    outcome = await call_operation(
        request, "reset_password", {"token": token, "new_password": form.get("new_password", "")}
    )
    if outcome.error is not None:
        return _page_with_faults(request, "reset_password.html", outcome, token=token)
    return render_page(request, "sign_in.html", next="", email="", faults={}, done=outcome.answer.message)  # type: ignore[union-attr]


async def forgotten_password_page(request: Request) -> Response:
    """An e-mail address; the answer is the same whether or not anybody has it."""
    form = await _form_of_our_page(request)
    if form is None:
        return render_page(request, "forgotten_password.html", faults={}, email="")
    email = form.get("email", "")
    outcome = await call_operation(request, "request_password_reset", {"email": email})
    if outcome.error is not None:
        return _page_with_faults(request, "forgotten_password.html", outcome, email=email)
    return render_page(request, "forgotten_password.html", faults={}, done=outcome.answer.message)  # type: ignore[union-attr]


async def _form_of_our_page(request: Request) -> dict[str, str] | None:
    """The form that one of our pages sent; None for a first look, and for what another site sent."""
    if request.method != "POST":
        return None
    form = await read_form(request)
    return form if is_from_our_page(request) else None


def _code_of_link(form: dict[str, str]) -> str:
    """The code, also where the whole link was pasted."""
    return form.get("token", "").strip().rpartition("#")[2]


def _page_with_faults(request: Request, template: str, outcome: OperationResult, **values: Any) -> Response:
    """The form once more, with what is wrong beside its fields, or above them where it is about none."""
    found = field_faults(outcome)
    message = None if found else (outcome.error or {})["message"]
    shown = render_page(request, template, status_code=outcome.status, faults=found, message=message, **values)
    shown.headers.update(outcome.headers)
    return shown
