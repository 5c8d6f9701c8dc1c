"""How every page is made: one environment of templates, in the reader's language, with headers that keep it to itself."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from haulier import __version__
from haulier.doors.web.menu import menu
from haulier.doors.web.session import Session, house_of
from haulier.doors.web.words import NATIVE, keep_choice, language_of, speaker

HERE = Path(__file__).parent
POLICY = (
    "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action "
)
SAFE = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
templates = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True
)


def page(
    request: Request,
    template: str,
    *,
    session: Session | None = None,
    status_code: int = 200,
    forms_to: str = "'self'",
    **values: Any,
) -> HTMLResponse:
    """A page in the reader's language. Templates find `say(message_id)`, `language`, `session` and what else is given.

    `forms_to` are the sources of the policy's `form-action`: where forms of the page may lead, also by a redirect.
    """
    language, house = language_of(request), house_of(request)
    words = {"say": speaker(house, language), "language": language, "languages": NATIVE, "session": session, **values}
    around = {"version": __version__, "here": request.url, "menu": menu(house, session)}
    body = templates.get_template(template).render(**around, **words)
    headers = {
        **SAFE,
        "Content-Security-Policy": POLICY + forms_to,
        "Content-Language": language,
        "Vary": "Accept-Language, Cookie",
    }
    response = HTMLResponse(body, status_code, headers)
    keep_choice(request, response, https=house.base_url.startswith("https:"))
    return response
