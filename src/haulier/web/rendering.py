"""Rendering of pages: templates, language and security headers."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse

from haulier import __version__
from haulier.contexts.places.public import MapTiles
from haulier.kernel.values.colours import on_colour
from haulier.web.i18n import NATIVE_LANGUAGE_NAMES, page_language, save_language, text_direction, translator
from haulier.web.menu import home_of, menu_for
from haulier.web.session import WebSession, app_of

if TYPE_CHECKING:
    from jinja2 import Environment

WEB_FOLDER = Path(__file__).parent
SAME_ORIGIN = "'self'"
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; connect-src 'self'{tiles}; frame-ancestors 'none'; "
    "base-uri 'none'; object-src 'none'; form-action {forms}"
)
_IMPORTED = re.compile(r"""^(?:import|export)\s(?:[^"';]*\sfrom\s)?"\./([\w.-]+\.js)";$""", re.MULTILINE)
PAGE_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(self), microphone=(), usb=(), payment=(self), browsing-topics=()",
}
"""Headers of every page. The phone app uses the camera and the location; payment pages may use the payment API."""
OPENER_HEADERS = {"Cross-Origin-Opener-Policy": "unsafe-none"}
"""For pages of an authorization flow, which an application may open in a popup and wait for."""


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, select_autoescape

    environment = Environment(
        loader=FileSystemLoader(WEB_FOLDER / "templates"),
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["imports_of"] = cast(Any, imports_of)
    environment.globals["map_words"] = cast(Any, map_words)
    environment.filters["text_direction"] = text_direction
    environment.filters["on_colour"] = on_colour
    return environment


@cache
def imports_of(script: str) -> list[str]:
    """Return the modules that a module imports, so that the page requests all at once."""
    found: list[str] = []
    waiting = [script]
    while waiting:
        source = (WEB_FOLDER / "static" / waiting.pop(0)).read_text()
        new = [each for each in dict.fromkeys(_IMPORTED.findall(source)) if each not in found and each != script]
        found, waiting = found + new, waiting + new
    return found


def render_page(
    request: Request,
    template: str,
    *,
    session: WebSession | None = None,
    status_code: int = 200,
    forms_to: str = "'self'",
    **values: Any,
) -> HTMLResponse:
    """Render a page in the reader's language.

    Templates get `say(message_id)`, `language`, `session` and the given values. `forms_to` are further sources of the
    policy's `form-action`, also for redirects.
    """
    language, app = page_language(request), app_of(request)
    tiles: MapTiles | None = app.adapters.get(MapTiles)
    around = {
        "version": __version__,
        "here": request.url,
        "menu": menu_for(session, app.registry),
        "home": home_of(session and session.account),
        "languages": NATIVE_LANGUAGE_NAMES,
        "tiles": tiles,
    }
    body = render_part(request, template, session=session, **around, **values)
    headers = {
        **PAGE_SECURITY_HEADERS,
        "Content-Security-Policy": CONTENT_SECURITY_POLICY.format(tiles=_tiles_source(tiles), forms=forms_to),
        "Content-Language": language,
        "Vary": "Accept-Language, Cookie",
    }
    response = HTMLResponse(body, status_code, headers)
    save_language(request, response, https=app.base_url.startswith("https:"))
    return response


def render_part(request: Request, template: str, *, session: WebSession | None = None, **values: Any) -> str:
    """A part of a page in the reader's language, as text."""
    language = page_language(request)
    say = translator(app_of(request), language)
    return _templates().get_template(template).render(say=say, language=language, session=session, **values)


def map_words(say: Callable[..., str], tiles: MapTiles | None) -> dict[str, Any]:
    """Return the texts and settings of map.js; `gl` holds MapLibre's labels."""
    texts = {name: say(f"page.{name}") for name in ("map", "zoom_in", "zoom_out")}
    labels = {
        "Map.Title": "map",
        "NavigationControl.ZoomIn": "zoom_in",
        "NavigationControl.ZoomOut": "zoom_out",
        "AttributionControl.ToggleAttribution": "map_credit",
        "CooperativeGesturesHandler.WindowsHelpText": "map_zoom_keys",
        "CooperativeGesturesHandler.MacHelpText": "map_zoom_mac",
        "CooperativeGesturesHandler.MobileHelpText": "map_two_fingers",
    }
    shown = {"address": tiles.address, "credit": tiles.credit} if tiles else None
    return {**texts, "tiles": shown, "gl": {key: say(f"page.{name}") for key, name in labels.items()}}


def extend_policy(policy: str, sources: str, directives: Iterable[str]) -> str:
    """Return a content security policy that also allows sources in some directives.

    Browsers ignore a directive that is stated twice, so existing ones are extended.
    """
    stated: dict[str, str] = {}
    for part in policy.split(";"):
        name, _, allowed = part.strip().partition(" ")
        stated[name] = allowed
    for name in directives:
        stated[name] = f"{stated.get(name, SAME_ORIGIN)} {sources}".strip()
    return "; ".join(f"{name} {allowed}" for name, allowed in stated.items())


def _tiles_source(tiles: MapTiles | None) -> str:
    """Return the map tile server as a source that scripts may fetch from.

    `{s}` stands for any of its names.
    """
    if tiles is None:
        return ""
    parts = urlsplit(tiles.address)
    return f" {parts.scheme}://{parts.netloc.replace('{s}', '*')}"
