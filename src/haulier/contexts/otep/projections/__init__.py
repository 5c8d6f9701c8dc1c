"""Projections: a timeline in the formats of other standards and platforms.

Each module is one format: a pure function `project(timeline, base_url)` with its code table as data beside it. A
further built-in format is a module, a table and a name in `OwnFormatName`; installed packages add more. `FORMATS`
contains both.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from msgspec.structs import replace

from haulier.contexts.otep.projections.contract import (
    OwnFormatName,
    ProjectedDocument,
    ProjectFunction,
    ProjectionFormat,
)
from haulier.contexts.otep.projections.rules import read_mapping_table
from haulier.extensions import TIMELINE_FORMATS, installed_extensions

__all__ = ["FORMATS", "NATIVE_FORMAT", "FormatName", "ProjectFunction", "ProjectedDocument", "ProjectionFormat"]

NATIVE_FORMAT: OwnFormatName = "otep"
"""The format of an answer unless another is asked for."""


def _projection_format(name: str) -> ProjectionFormat:
    """Return a format from its module and its table's heading.

    Every format also has the profile `otep:format:<name>`.
    """
    sheet = read_mapping_table(name)
    return ProjectionFormat(
        name=name,
        title=sheet["title"],
        source=sheet["source"],
        media_type=sheet["media_type"],
        profiles=(*sheet["profiles"], f"otep:format:{name}"),
        project=import_module(f"{__name__}.{name}").project,
    )


def _formats_of_packages() -> dict[str, ProjectionFormat]:
    """Return the formats of installed packages by entry point name."""
    found = installed_extensions(TIMELINE_FORMATS, ProjectionFormat)
    return {name: replace(format, name=name) for name, format in found.items()}


_OWN = {name: _projection_format(name) for name in get_args(OwnFormatName)}
FORMATS: Mapping[str, ProjectionFormat] = MappingProxyType({**_OWN, **_formats_of_packages(), **_OWN})
"""All formats by name: the native one first, those of packages last. Packages cannot override built-in names."""

if TYPE_CHECKING:
    FormatName = OwnFormatName
else:
    FormatName = Literal[tuple(FORMATS)]
