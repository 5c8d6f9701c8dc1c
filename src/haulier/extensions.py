"""Extensions provided by installed packages.

They add carriers, timeline and label formats and SMS providers.

A package registers objects as entry points of the groups below. Invalid ones are logged and skipped.
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
"""`haulier.adapters.carriers.connectors.Connector`: carriers for carrier accounts."""
TIMELINE_FORMATS = "haulier.timeline_formats"
"""`haulier.contexts.otep.projections.contract.ProjectionFormat`: timeline formats, named by the entry point."""
LABEL_FORMATS = "haulier.label_formats"
"""`haulier.rendering.label_writers.LabelWriter`: label formats, named by the entry point."""
SMS_PROVIDERS = "haulier.sms_providers"
"""`haulier.contexts.messaging.ports.SmsProvider`: SMS providers, named by the entry point."""

_KINDS = {
    CARRIERS: "haulier.adapters.carriers.connectors:Connector",
    TIMELINE_FORMATS: "haulier.contexts.otep.projections.contract:ProjectionFormat",
    LABEL_FORMATS: "haulier.rendering.label_writers:LabelWriter",
    SMS_PROVIDERS: "haulier.contexts.messaging.ports:SmsProvider",
}
"""Types of each group's objects. Not imported here, because only servers with extensions need all of them."""
_GROUP = re.compile(rb"^\[(haulier\.[a-z_.]+)\]\s*$", re.MULTILINE)
_NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")


@cache
def installed_extensions(group: str, kind: type[T]) -> Mapping[str, T]:
    """Return the objects of a group by entry point name, loaded once.

    Invalid ones are logged.

    Names consist of lower-case letters, digits and underscores.
    """
    sound: dict[str, T] = {}
    for name, found in _load(group):
        if isinstance(found, kind) and _NAME.fullmatch(name):
            sound[name] = found
        else:
            logger.error("skipped %s of %s: it is not a %s, or its name is invalid", name, group, kind.__name__)
    return sound


@cache
def _load(group: str) -> tuple[tuple[str, object], ...]:
    # Check first: importlib.metadata takes 20 to 100 ms of every start, mostly without finding anything.
    if group not in _groups_of_packages():
        return ()
    return tuple(_load_each(group))


def _load_each(group: str) -> Iterator[tuple[str, object]]:
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        try:
            yield entry.name, entry.load()
        except Exception:
            logger.exception("skipped %s of %s (%s): it cannot be loaded", entry.name, group, entry.value)


@cache
def _groups_of_packages() -> frozenset[str]:
    """Return the Haulier entry point groups of all installed packages."""
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
    """Load the extensions of all groups that are not excluded.

    Called at the start of a process, so that errors are logged then.
    """
    for group, place in _KINDS.items():
        if group in _groups_of_packages() and group not in excluded:
            module, _, name = place.partition(":")
            installed_extensions(group, getattr(import_module(module), name))


def clear_extensions() -> None:
    """Clear the caches after a change of the module path."""
    installed_extensions.cache_clear()
    _load.cache_clear()
    _groups_of_packages.cache_clear()
