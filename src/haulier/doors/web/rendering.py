"""How every page is made: one environment of templates, and the headers that keep a page to itself."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.responses import HTMLResponse

from haulier import __version__

HERE = Path(__file__).parent
SAFE = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
templates = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=select_autoescape(), trim_blocks=True, lstrip_blocks=True
)


def render(template: str, **values: Any) -> HTMLResponse:
    """A page with the security headers that every page carries."""
    page = templates.get_template(template).render(version=__version__, **values)
    return HTMLResponse(page, headers=SAFE)
