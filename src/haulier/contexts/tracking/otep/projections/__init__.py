"""Projections: a timeline shown in other standards' and platforms' own forms.

Each module is one format: a pure function `project(timeline, base_url)` with its code table as data beside it. `FORMATS`
is the one list of them; a further format is a module, a table and a name here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from haulier.contexts.tracking.otep.projections import (
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
from haulier.contexts.tracking.otep.projections.charts import read
from haulier.contexts.tracking.otep.projections.formats import Document, Format, Project

__all__ = ["FORMATS", "NATIVE", "Document", "Format", "Project"]

NATIVE = "otep"
"""The name of the format that is given when none is asked for."""

_PROJECTS: dict[str, Project] = {
    NATIVE: otep.project,
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


def _format(name: str, project: Project) -> Format:
    """A format from its table's heading. Every format also answers to the profile `otep:format:<name>`."""
    sheet = read(name)
    return Format(
        name=name,
        title=sheet["title"],
        source=sheet["source"],
        media_type=sheet["media_type"],
        profiles=(*sheet["profiles"], f"otep:format:{name}"),
        project=project,
    )


FORMATS: Mapping[str, Format] = MappingProxyType({name: _format(name, project) for name, project in _PROJECTS.items()})
"""Every format by its name, the native one first."""
