"""The how-to guides of the documentation, which the package carries with it."""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from haulier.contexts.integrations.developer_portal.contract import HowToGuide

PACKAGED, IN_SOURCES = "how_to", "docs/how-to"
"""Where they stand in an installed package (`pyproject.toml` puts them there), and in a checkout."""


@lru_cache(maxsize=1)
def how_to_guides() -> Mapping[str, HowToGuide]:
    """Every guide by its name, in the order of names."""
    package = Path(str(files("haulier")))
    folder = package / PACKAGED if (package / PACKAGED).is_dir() else package.parents[1] / IN_SOURCES
    return {path.stem: _read(path) for path in sorted(folder.glob("*.md"))}


def _read(path: Path) -> HowToGuide:
    text = path.read_text("utf-8")
    heading = text.partition("\n")[0]
    return HowToGuide(name=path.stem, title=heading.removeprefix("# "), text=text)
