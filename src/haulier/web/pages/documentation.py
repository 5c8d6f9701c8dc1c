"""Documentation at `/docs`: the built site, or without it the guides alone."""

import re
from functools import cache
from importlib.resources import files
from os import PathLike, stat_result
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from haulier.contexts.integrations.public import HowToGuide, how_to_guides
from haulier.web.rendering import CONTENT_SECURITY_POLICY, PAGE_SECURITY_HEADERS, render_page
from haulier.web.static_files import PACKED, CachedStaticFiles

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

PACKAGED, IN_SOURCES = "documentation", "build/docs"
"""Folder of the site in an installed package (set by `hatch_build.py`), and in a checkout after `make docs`."""
SITE_HEADERS = {
    **PAGE_SECURITY_HEADERS,
    "Content-Security-Policy": CONTENT_SECURITY_POLICY.format(tiles="", forms="'none'"),
}
_GUIDE_LINK = re.compile(r"\]\((?:\.\./)*(?:[\w-]+/)?([\w-]+)\.md(#[\w-]+)?\)")
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")


class DocumentationFiles(CachedStaticFiles):
    """Files of the built site, with the security headers of pages."""

    packed = PACKED | {".html", ".xml"}

    def file_response(
        self, full_path: PathLike[str] | str, stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """A file of the site with the headers of pages."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers.update(SITE_HEADERS)
        return response

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file of the site, or the product's page for missing addresses."""
        response = await super().get_response(path, scope)
        if response.status_code == 404:
            raise HTTPException(404)
        return response


def documentation_routes() -> list[BaseRoute]:
    """Return the routes of the documentation."""

    async def to_folder(_: Request) -> Response:
        return RedirectResponse("/docs/", 308)

    return [Route("/docs", to_folder), Mount("/docs", serve_documentation)]


async def serve_documentation(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve the site; without one, a page of a guide."""
    folder = site_folder()
    if folder is not None:
        await _site_files(folder)(scope, receive, send)
        return
    request = Request(scope, receive)
    await _guide_page(request)(scope, receive, send)


def site_folder() -> Path | None:
    """Return the folder of the built site, None without one."""
    package = Path(str(files("haulier")))
    places = (package / PACKAGED, package.parents[1] / IN_SOURCES)
    return next((place for place in places if (place / "index.html").is_file()), None)


@cache
def _site_files(folder: Path) -> DocumentationFiles:
    return DocumentationFiles(directory=folder, html=True)


def _guide_page(request: Request) -> Response:
    """Return a guide as a page, or the list of all guides."""
    guides = how_to_guides()
    name = request.url.path.rstrip("/").rpartition("/")[2]
    guide = guides.get(name)
    if guide is None:
        return render_page(request, "documentation.html", guides=guides.values(), guide=None, text="")
    return render_page(request, "documentation.html", guides=(), guide=guide, text=_guide_as_html(guide))


def _guide_as_html(guide: HowToGuide) -> str:
    linked = _GUIDE_LINK.sub(lambda link: f"](/docs/{link[1]}/{link[2] or ''})", _PICTURE.sub("", guide.text))
    return cast(Any, _markdown()).render(linked)


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")
