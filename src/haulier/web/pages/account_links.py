"""Pages of emailed links: accept an invitation, set a new password.

The code is in the URL fragment, which browsers do not send: a script moves it into the form, and without scripts users
paste it. From then on it travels in forms, never in an address.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from haulier.contexts.identity.invitations.operations import accept_invitation, read_invitation
from haulier.contexts.identity.passwords.operations import request_password_reset, reset_password
from haulier.web.i18n import page_language
from haulier.web.operations_client import Refused, call_with_texts, read_form
from haulier.web.pages.sign_in import code_of_link
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
    """Three steps: the code, then who invites whom, then a password."""
    form = await _form_of_our_page(request)
    if form is None:
        return render_page(request, "invitation.html", faults={})
    token = code_of_link(form)
    read = await call_with_texts(request, read_invitation, {"token": token})
    if isinstance(read, Refused):
        return _page_with_errors(request, "invitation.html", read)
    invitation = read.answer
    if form.get("step") != "accept":
        return render_page(request, "invitation.html", invitation=invitation, token=token, faults={})
    name = form.get("name", "").strip()
    chosen = {"token": token, "password": form.get("password", ""), "name": name, "language": page_language(request)}
    accepted = await call_with_texts(request, accept_invitation, chosen)
    if isinstance(accepted, Refused):
        return _page_with_errors(request, "invitation.html", accepted, invitation=invitation, token=token, name=name)
    return render_page(
        request, "sign_in.html", next="", email=invitation.email, faults={}, done=accepted.answer.message
    )


async def reset_password_page(request: Request) -> Response:
    """The code and a new password."""
    form = await _form_of_our_page(request)
    if form is None:
        return render_page(request, "reset_password.html", faults={}, token="")
    token = code_of_link(form)
    texts = {"token": token, "new_password": form.get("new_password", "")}
    result = await call_with_texts(request, reset_password, texts)
    if isinstance(result, Refused):
        return _page_with_errors(request, "reset_password.html", result, token=token)
    return render_page(request, "sign_in.html", next="", email="", faults={}, done=result.answer.message)


async def forgotten_password_page(request: Request) -> Response:
    """An e-mail address; the answer is the same whether or not an account has it."""
    form = await _form_of_our_page(request)
    if form is None:
        return render_page(request, "forgotten_password.html", faults={}, email="")
    email = form.get("email", "")
    result = await call_with_texts(request, request_password_reset, {"email": email})
    if isinstance(result, Refused):
        return _page_with_errors(request, "forgotten_password.html", result, email=email)
    return render_page(request, "forgotten_password.html", faults={}, done=result.answer.message)


async def _form_of_our_page(request: Request) -> dict[str, str] | None:
    """Return a form sent by one of our pages; None for first visits and foreign sites."""
    if request.method != "POST":
        return None
    form = await read_form(request)
    return form if is_from_our_page(request) else None


def _page_with_errors(request: Request, template: str, refused: Refused, **values: Any) -> Response:
    """Render the form again with errors beside their fields."""
    field_errors = refused.field_errors()
    message = None if field_errors else refused.message
    response = render_page(
        request, template, status_code=refused.status, faults=field_errors, message=message, **values
    )
    response.headers.update(refused.headers)
    return response
