"""The lock of the runtime holds all that an installation needs: what only the development lock has is missing elsewhere."""

import re
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCK = Path(__file__).resolve().parents[2] / "requirements.txt"


def needed_by(name: str, extras: frozenset[str]) -> set[tuple[str, frozenset[str]]]:
    """What a package needs here, with the extras that it needs of each."""
    wanted = map(Requirement, requires(name) or ())
    return {
        (canonicalize_name(each.name), frozenset(each.extras))
        for each in wanted
        if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in (*extras, ""))
    }


def test_the_runtime_lock_holds_every_package_that_the_runtime_needs_here() -> None:
    locked = {canonicalize_name(name) for name in re.findall(r"^([A-Za-z0-9._-]+)==", LOCK.read_text(), re.MULTILINE)}
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = needed_by("haulier", frozenset())
    while waiting - seen:
        name, extras = (waiting - seen).pop()
        seen.add((name, extras))
        waiting |= needed_by(name, extras)
    assert sorted({name for name, _ in seen} - locked) == []
