"""Projections: a timeline in the forms of other standards and platforms.

Each module is one format: a pure function `project(timeline, base_url)` with its code table as data beside it. A further
format is a module, a table and a name in `FormatName`, from which `FORMATS` is made.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import get_args

from haulier.contexts.otep.projections.contract import (
    FormatName,
    ProjectedDocument,
    ProjectFunction,
    ProjectionFormat,
)
from haulier.contexts.otep.projections.rules.mapping_tables import read_mapping_table

__all__ = ["FORMATS", "NATIVE_FORMAT", "ProjectFunction", "ProjectedDocument", "ProjectionFormat"]

NATIVE_FORMAT: FormatName = "otep"
"""The format of an answer unless another is asked for."""


def _projection_format(name: str) -> ProjectionFormat:
    """A format from its module and its table's heading. Every format also has the profile `otep:format:<name>`."""
    sheet = read_mapping_table(name)
    return ProjectionFormat(
        name=name,
        title=sheet["title"],
        source=sheet["source"],
        media_type=sheet["media_type"],
        profiles=(*sheet["profiles"], f"otep:format:{name}"),
        project=import_module(f"{__name__}.{name}").project,
    )


FORMATS: Mapping[str, ProjectionFormat] = MappingProxyType(
    {name: _projection_format(name) for name in get_args(FormatName)}
)
"""Every format by its name, the native one first."""
