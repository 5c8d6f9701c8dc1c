"""MkDocs hooks of the documentation site.

The navigation and the section pages come from the tables of `docs/README.md`, and pages of the repository's root join
the section Contribute. Links to other files of the repository lead to its address, or are plain text without one.
Inline scripts become files, because the content-security policy of the product allows no others.
"""

import hashlib
import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).resolve().parents[2]
INDEX = "README.md"
OPERATIONS, EVENTS = "reference/operations/", "reference/events/"
ERRORS, LIFE_CYCLES = "reference/errors.md", "reference/life-cycles.md"
BACKGROUND = (OPERATIONS, EVENTS, "decisions/", "contributing/", "images/", "operate/changelog.md")
"""Pages that the search ranks below guides."""
BACKGROUND_BOOST = 0.2
SECTION_FOLDERS = {"Work at the desk": "desk", "Contribute": "contributing"}
"""Folders of sections that are not called like them."""
ROOT_PAGES = {
    "CONTRIBUTING.md": "contributing/contributing.md",
    "ARCHITECTURE.md": "contributing/architecture.md",
    "CHANGELOG.md": "operate/changelog.md",
}
"""Pages of the repository's root, and their places on the site."""
HOME_PAGES = {"README.md": INDEX}
CARD_LINKS = 4
INLINE_SCRIPTS = "assets/javascripts/inline"
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#|/)([^)#\s]+)(#[^)\s]*)?\)")
_ROW_LINK = re.compile(r"^\| \[([^\]]+)\]\(([^)#]+)\) \| ?(.*?) ?\|$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_MERMAID = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TRANSITION = re.compile(r"^\s*(\S+) --> (\S+?)(?:\s*:\s*(.+))?$", re.MULTILINE)
_SCRIPT = re.compile(r"<script(?![^>]*\b(?:src|type=\"application/json\"))[^>]*>(.*?)</script>", re.DOTALL)
_PREFORMATTED = re.compile(r"(<pre.*?</pre>)", re.DOTALL)
_INDENT = re.compile(r"\n\s+")
_ERROR_ROW = re.compile(r'^\| <a id="(\w+)"></a>`(\w+)` \| (.*?) \| (.*?) \|', re.MULTILINE)


class Row(NamedTuple):
    """A line of a table of pages."""

    title: str
    page: str
    meaning: str


class Section(NamedTuple):
    """A section of the index: its folder, text and pages."""

    title: str
    folder: str
    lead: str
    rows: tuple[Row, ...]


def read_sections(index: str) -> list[Section]:
    """Return the sections of the index in order, with their pages on the site."""
    found: list[Section] = []
    for part in index.split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        lead = text.strip().partition("\n\n")[0]
        rows = tuple(
            Row(each[1], site_path("", each[2]) or each[2], each[3])
            for each in _ROW_LINK.finditer(text)
            if site_path("", each[2]) is not None
        )
        folder = SECTION_FOLDERS.get(title, title.lower().replace(" ", "-"))
        found.append(Section(title, folder, "" if lead.startswith("|") else lead, rows))
    return [section for section in found if section.rows]


def site_path(folder: str, target: str) -> str | None:
    """Return the page of the site for a link from a folder of docs.

    None for files elsewhere in the repository.
    """
    path = posixpath.normpath(posixpath.join("docs", folder, target))
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return ROOT_PAGES.get(path) or HOME_PAGES.get(path)


def repository_path(folder: str, target: str) -> str:
    """Return the path of a linked file in the repository."""
    return posixpath.normpath(posixpath.join("docs", folder, target))


# ---------------------------------------------------------------- navigation


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Read the version and the navigation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    if not config.repo_url:
        config.edit_uri, config.edit_uri_template = "", None
    config.extra["version_label"] = project["version"]
    config.nav = [{"Home": INDEX}, *map(_nav_section, read_sections(_index()))]
    return config


def _index() -> str:
    return (ROOT / "docs" / INDEX).read_text()


def _nav_section(section: Section) -> dict[str, list[Any]]:
    return {section.title: [f"{section.folder}/index.md", *map(_nav_entry, section.rows)]}


def _nav_entry(row: Row) -> dict[str, Any]:
    """Return a page, or the pages of a folder whose index is listed.

    Events are left out: they would add a hundred lines to each page.
    """
    folder, _, name = row.page.rpartition("/")
    if name != INDEX or row.page.startswith(EVENTS):
        return {row.title: row.page}
    listed = (ROOT / "docs" / row.page).read_text()
    inner = dict.fromkeys(posixpath.normpath(f"{folder}/{each}") for each in re.findall(r"\]\(([\w.-]+\.md)\)", listed))
    return {row.title: [row.page, *inner]}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages of sections and of the repository's root."""
    for section in read_sections(_index()):
        files.append(File.generated(config, f"{section.folder}/index.md", content=_section_page(section)))
    for source, place in ROOT_PAGES.items():
        folder = posixpath.dirname(place)
        text = _LINK.sub(lambda link, folder=folder: _from_root(link, folder), (ROOT / source).read_text())
        files.append(File.generated(config, place, content=text))
    return files


def _section_page(section: Section) -> str:
    rows = [
        f"| [{row.title}]({posixpath.relpath(row.page, section.folder)}) | {row.meaning} |\n" for row in section.rows
    ]
    return f"# {section.title}\n\n{section.lead}\n\n| Page | Content |\n|---|---|\n{''.join(rows)}"


def _from_root(link: re.Match[str], folder: str) -> str:
    """Return a link of a page of the root as seen from its folder in docs."""
    target = posixpath.relpath(link[2], posixpath.join("docs", folder))
    return f"[{link[1]}]({target}{link[3] or ''})"


# ---------------------------------------------------------------- Markdown


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Prepare the text of a page for the site."""
    source = page.file.src_uri
    if source == INDEX:
        page.meta["hide"] = ["navigation", "toc"]
        markdown = _home(markdown)
    if source == LIFE_CYCLES:
        markdown = _MERMAID.sub(_transitions, markdown)
    if source.startswith(BACKGROUND):
        page.meta["search"] = {"boost": BACKGROUND_BOOST}
    folder = posixpath.dirname(source)
    return _outside_fences(markdown, lambda text: _LINK.sub(lambda link: _link(link, folder, config), text))


def _outside_fences(markdown: str, change: Any) -> str:
    parts, start = list[str](), 0
    for fence in _FENCE.finditer(markdown):
        parts += [change(markdown[start : fence.start()]), fence[0]]
        start = fence.end()
    return "".join([*parts, change(markdown[start:])])


def _link(link: re.Match[str], folder: str, config: MkDocsConfig) -> str:
    """Return a link to the site, to the repository, or its text alone."""
    place = site_path(folder, link[2])
    if place is not None:
        return f"[{link[1]}]({posixpath.relpath(place, folder or '.')}{link[3] or ''})"
    if config.repo_url:
        return f"[{link[1]}]({config.repo_url.rstrip('/')}/blob/main/{repository_path(folder, link[2])})"
    return link[1]


def _home(markdown: str) -> str:
    """Return the home page: a card for each section instead of its table."""
    intro = markdown.partition("\n## ")[0]
    cards = [
        f"-   **[{section.title}]({section.folder}/index.md)**\n\n    {section.lead}\n\n    "
        + " · ".join(f"[{row.title}]({row.page})" for row in section.rows[:CARD_LINKS])
        + "\n\n"
        for section in read_sections(markdown)
    ]
    return f'{intro}\n\n<div class="grid cards" markdown>\n\n{"".join(cards)}\n</div>\n'


def _transitions(diagram: re.Match[str]) -> str:
    """Return the transitions of a state diagram as a table."""
    rows = [
        f"| {'start' if before == '[*]' else f'`{before}`'} | {act or ''} | {'end' if after == '[*]' else f'`{after}`'} |"
        for before, after, act in _TRANSITION.findall(diagram[1])
    ]
    return "\n".join(["| From | Action | To |", "|---|---|---|", *rows])


# ---------------------------------------------------------------- HTML and search


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Leave tables of fields and errors out of the search."""
    if page.file.src_uri.startswith(OPERATIONS) or page.file.src_uri == ERRORS:
        return html.replace("<table>", '<table data-search-exclude="true">')
    return html


@event_priority(-100)
def on_page_context(context: dict[str, Any], *, page: Page, config: MkDocsConfig, nav: Any) -> None:
    """Add each error code to the search."""
    if page.file.src_uri != ERRORS:
        return
    index = next(plugin.search_index for name, plugin in config.plugins.items() if name.endswith("search"))
    for id, code, meaning, hint in _ERROR_ROW.findall(page.markdown or ""):
        index.entries.append({"location": f"{page.url}#{id}", "title": code, "text": f"<p>{meaning} {hint}</p>"})


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Move inline scripts of a page into files, and leave out indentation."""
    parts = _PREFORMATTED.split(output)
    output = "".join(part if part.startswith("<pre") else _INDENT.sub("\n", part) for part in parts)
    return _SCRIPT.sub(lambda script: _script_file(script[1], page.url, config), output)


def on_post_template(output_content: str, *, template_name: str, config: MkDocsConfig) -> str:
    """Move inline scripts of the page for missing addresses into files."""
    if not template_name.endswith(".html"):
        return output_content
    base = "/" if not config.site_url else "/" + config.site_url.split("/", 3)[-1]
    return _SCRIPT.sub(lambda script: _script_file(script[1], None, config, base), output_content)


def _script_file(script: str, page_url: str | None, config: MkDocsConfig, base: str = "") -> str:
    """Write a script into a file named after its content, and return its element."""
    if not script.strip():
        return ""
    name = f"{INLINE_SCRIPTS}.{hashlib.sha256(script.encode()).hexdigest()[:12]}.js"
    file = Path(config.site_dir) / name
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(script)
    place = f"{base}{name}" if page_url is None else get_relative_url(name, page_url)
    return f'<script src="{place}"></script>'


def on_post_build(*, config: MkDocsConfig) -> None:
    """Remove files that no page needs.

    These are source maps and languages of the theme, and unused pictures.
    """
    assets = Path(config.site_dir) / "assets"
    for path in [*assets.rglob("*.map"), *(assets / "javascripts" / "lunr").rglob("*.js")]:
        path.unlink()
    words = Path(__file__).with_name("search_words.js").read_text()
    for worker in (assets / "javascripts" / "workers").glob("search.*.js"):
        worker.write_text(words + worker.read_text().partition("\n//# sourceMappingURL")[0])
    pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    for picture in (Path(config.site_dir) / "images").rglob("*.*"):
        if picture.name not in pages and picture.suffix != ".html":
            picture.unlink()
