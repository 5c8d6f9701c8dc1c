"""The formats of timelines. Content negotiation, documents and the command line are derived from these."""

from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from haulier.contexts.otep.timeline.contract import Timeline

ProjectionName = Literal[
    "epcis",
    "onerecord",
    "uncefact",
    "otlp",
    "sensorthings",
    "aftership",
    "shopify",
    "amazon",
    "walmart",
    "bigcommerce",
    "magento",
    "woocommerce",
    "etsy",
    "ebay",
]
"""Every format of ours but the native one. This is the only list of them, in the order in which documents show them."""

OwnFormatName = Literal["otep", ProjectionName]
"""Every format of ours, the native one first."""

ProjectedDocument = dict[str, Any]
"""A document whose parts are records and times for msgspec to write, which is several times faster than maps and texts;
`msgspec.to_builtins` makes plain maps of it. Read it, do not change it: equal parts are shared between documents."""


class DocumentPart(Struct, gc=False):
    """A record inside a document. Its fields are in the order and under the names of the standard; UNSET ones are left
    out. Parts never refer back to what holds them, so the garbage collector need not watch them."""


ProjectFunction = Callable[[Timeline, str], ProjectedDocument]
"""A pure function of a timeline and the public address of the service (without `/api`)."""


class ProjectionFormat(Struct, frozen=True, kw_only=True):
    """One way to show a timeline. `source` says who published the vocabulary and shape it is shown in."""

    name: str
    title: str
    source: str
    media_type: str
    profiles: tuple[str, ...]
    project: ProjectFunction
