"""Projections: a timeline shown in other standards' and platforms' own forms.

Each module is one format: a pure function `project(timeline, base_url)` with its code table as data beside it. `FORMATS`
is the one list of them; a further format is a module, a table and a name here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from haulier.contexts.otep.projections import (
    aftership,
    amazon,
    bigcommerce,
    ebay,
    epcis,
    etsy,
    magento,
    onerecord,
    otep,
    otlp,
    sensorthings,
    shopify,
    uncefact,
    walmart,
    woocommerce,
)
from haulier.contexts.otep.projections.contract import ProjectedDocument, ProjectFunction, ProjectionFormat
from haulier.contexts.otep.projections.rules.mapping_tables import read_mapping_table

__all__ = ["FORMATS", "NATIVE_FORMAT", "ProjectFunction", "ProjectedDocument", "ProjectionFormat"]

NATIVE_FORMAT = "otep"
"""The name of the format that is given when none is asked for."""

_PROJECT_FUNCTIONS: dict[str, ProjectFunction] = {
    NATIVE_FORMAT: otep.project,
    "epcis": epcis.project,
    "onerecord": onerecord.project,
    "uncefact": uncefact.project,
    "otlp": otlp.project,
    "sensorthings": sensorthings.project,
    "aftership": aftership.project,
    "shopify": shopify.project,
    "amazon": amazon.project,
    "walmart": walmart.project,
    "bigcommerce": bigcommerce.project,
    "magento": magento.project,
    "woocommerce": woocommerce.project,
    "etsy": etsy.project,
    "ebay": ebay.project,
}


def _projection_format(name: str, project: ProjectFunction) -> ProjectionFormat:
    """A format from its table's heading. Every format also answers to the profile `otep:format:<name>`."""
    sheet = read_mapping_table(name)
    return ProjectionFormat(
        name=name,
        title=sheet["title"],
        source=sheet["source"],
        media_type=sheet["media_type"],
        profiles=(*sheet["profiles"], f"otep:format:{name}"),
        project=project,
    )


FORMATS: Mapping[str, ProjectionFormat] = MappingProxyType(
    {name: _projection_format(name, project) for name, project in _PROJECT_FUNCTIONS.items()}
)
"""Every format by its name, the native one first."""
