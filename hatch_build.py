"""Build hook: puts the documentation site into the package, if `make docs` built it."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SITE, PACKAGED = "build/docs", "haulier/documentation"


class DocumentationBuildHook(BuildHookInterface[Any]):
    """Includes the site in wheels. An editable installation serves it from the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Include the site in a wheel."""
        site = Path(self.root) / SITE
        if version == "standard" and (site / "index.html").is_file():
            build_data["force_include"][str(site)] = PACKAGED
