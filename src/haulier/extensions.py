"""What installed packages add: carriers, formats of timelines and labels, providers of text messages.

A package names its objects in its own `pyproject.toml`, as entry points of a group below. Whatever is wrong with one is named
in the log, and it is left out; the rest goes on.
"""

import logging
import os
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")
logger = logging.getLogger(__name__)

CARRIERS = "haulier.carriers"
"""`haulier.adapters.carriers.connectors.Connector`: carriers that accounts can be opened with."""
TIMELINE_FORMATS = "haulier.timeline_formats"
"""`haulier.contexts.otep.projections.contract.ProjectionFormat`: formats of timelines, under the name of the entry point."""
LABEL_FORMATS = "haulier.label_formats"
"""`haulier.rendering.label_writers.LabelWriter`: forms of labels, under the name of the entry point."""
SMS_PROVIDERS = "haulier.sms_providers"
"""`haulier.contexts.messaging.ports.SmsProvider`: providers of text messages, under the name of the entry point."""

_KINDS = {
    CARRIERS: "haulier.adapters.carriers.connectors:Connector",
    TIMELINE_FORMATS: "haulier.contexts.otep.projections.contract:ProjectionFormat",
    LABEL_FORMATS: "haulier.rendering.label_writers:LabelWriter",
    SMS_PROVIDERS: "haulier.contexts.messaging.ports:SmsProvider",
}
"""Where the kind of each group's objects is. Why not imported: only a server with packages needs to look at all of them."""
_GROUP = re.compile(rb"^\[(haulier\.[a-z_.]+)\]\s*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")


@cache
def installed_extensions(group: str, kind: type[T]) -> Mapping[str, T]:
    """The objects of a group by the names of their entry points, loaded and complained of once.

    Names are small letters, digits and underscores.
    """
    sound: dict[str, T] = {}
    for name, found in _load(group):
        if isinstance(found, kind) and _NAME.fullmatch(name):
            sound[name] = found
        else:
            logger.error("%s of %s is left out: it is no %s, or its name is wrong", name, group, kind.__name__)
    return sound


@cache
def _load(group: str) -> tuple[tuple[str, object], ...]:
    # Why not ask importlib.metadata at once: that takes 20 to 100 ms of every start, mostly to learn that there is nothing.
    if group not in _groups_of_packages():
        return ()
    return tuple(_load_each(group))


def _load_each(group: str) -> Iterator[tuple[str, object]]:
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        try:
            yield entry.name, entry.load()
        except Exception:
            logger.exception("%s of %s (%s) is left out: it cannot be loaded", entry.name, group, entry.value)


@cache
def _groups_of_packages() -> frozenset[str]:
    """The groups of ours that any installed package has entry points in."""
    texts = (_read(file) for folder in sys.path for file in _entry_point_files(folder))
    return frozenset(group.decode() for text in texts for group in _GROUP.findall(text))


def _entry_point_files(folder: str) -> list[str]:
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208 - ten times as fast as a glob of paths, in every start
    except OSError:
        return []
    return [f"{folder or '.'}/{name}/entry_points.txt" for name in names if name.endswith(".dist-info")]


def _read(file: str) -> bytes:
    try:
        with open(file, "rb") as opened:  # noqa: PTH123 - as above
            return opened.read()
    except OSError:
        return b""


def load_extensions(excluded: Collection[str] = ()) -> None:
    """Load the extensions of all groups that are not excluded, so that errors are logged at the start of the process."""
    for group, place in _KINDS.items():
        if group in _groups_of_packages() and group not in excluded:
            module, _, name = place.partition(":")
            installed_extensions(group, getattr(import_module(module), name))


def forget_extensions() -> None:
    """Look again at the next question: the path of modules has changed."""
    installed_extensions.cache_clear()
    _load.cache_clear()
    _groups_of_packages.cache_clear()
