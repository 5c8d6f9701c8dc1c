"""Formats of timelines: the basis of negotiation, documentation and command line."""

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
"""Every built-in format but the native one, in documentation order. This is the only list of them."""

OwnFormatName = Literal["otep", ProjectionName]
"""Every built-in format, the native one first."""

ProjectedDocument = dict[str, Any]
"""A document whose parts are records and times for msgspec to write, which is several times faster than maps and texts;
`msgspec.to_builtins` makes plain maps of it. Read it, do not change it: equal parts are shared between documents."""


class DocumentPart(Struct, gc=False):
    """A record inside a document.

    Fields have the standard's names and order; UNSET ones are omitted. Parts never refer back to their container, so
    the garbage collector need not track them.
    """


ProjectFunction = Callable[[Timeline, str], ProjectedDocument]
"""A pure function of a timeline and the public address of the service (without `/api`)."""


class ProjectionFormat(Struct, frozen=True, kw_only=True):
    """A format of timelines. `source` is the publisher of its vocabulary and shape."""

    name: str
    title: str
    source: str
    media_type: str
    profiles: tuple[str, ...]
    project: ProjectFunction
