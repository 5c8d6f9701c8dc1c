"""The runtime lock contains every package that an installation needs."""

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LEFT_OUT = {*(Requirement(each).name for each in PROJECT["tool"]["uv"]["override-dependencies"]), "lxml"}
"""Dependencies of other packages that Haulier does not import (docs/decisions/libraries.md and documents.md)."""
Needs = set[tuple[str, frozenset[str]]]


def needed_here(wanted: Iterable[str], extras: frozenset[str] = frozenset()) -> Needs:
    """Return the required packages that apply here, with their extras."""
    return {
        (canonicalize_name(each.name), frozenset(each.extras))
        for each in map(Requirement, wanted)
        if each.name not in LEFT_OUT
        and (each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in (*extras, "")))
    }


def needed_by(name: str, extras: frozenset[str]) -> Needs:
    """Return the requirements of an installed package; none if it is not installed."""
    try:
        return needed_here(requires(name) or (), extras)
    except PackageNotFoundError:
        return set()


def locked_packages() -> set[str]:
    return {canonicalize_name(name) for name in re.findall(r"^([A-Za-z0-9._-]+)==", LOCK.read_text(), re.MULTILINE)}


def test_the_runtime_lock_contains_every_required_package() -> None:
    seen: Needs = set()
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *extras["routing"], *extras["signing"], *extras["packing"]]
    waiting = needed_here(wanted)
    while waiting - seen:
        name, extras = (waiting - seen).pop()
        seen.add((name, extras))
        waiting |= needed_by(name, extras)
    assert sorted({name for name, _ in seen} - locked_packages()) == []


def test_the_runtime_lock_excludes_unused_packages() -> None:
    assert {"matplotlib", "lxml", "geopandas", "python-rapidjson", "setuptools"} == LEFT_OUT
    left = {"matplotlib", "contourpy", "cycler", "fonttools", "kiwisolver", "pillow", "lxml"}
    assert sorted(left & locked_packages()) == []


def test_the_base_package_requires_no_solver() -> None:
    wanted = {canonicalize_name(Requirement(each).name) for each in PROJECT["project"]["dependencies"]}
    assert not wanted & {"numpy", "pyvrp", "packingsolver3d", "ortools"}
