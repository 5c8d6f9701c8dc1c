"""An instance has the selected modules only."""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import migrated_file

from haulier.app import background, registry
from haulier.kernel.operations.declaration import Rest
from haulier.kernel.operations.resources import resources_of
from haulier.modules import ALL_MODULES, MODULES, module_of, parse_modules, with_requirements
from haulier.settings import InvalidSetting, load_settings

ROOT = Path(__file__).parents[2]
PAGES = {
    "/handheld": "warehouse",
    "/kiosk": "lockers",
    "/orders/1/chat": "chat",
    "/push/worker.js": "chat",
    "/api/asyncapi.json": "lockers",
}
"""Addresses of pages of modules outside the desk, where every address leads to the sign-in page."""


def _requiring(name: str) -> set[str]:
    return {module.name for module in MODULES if name in with_requirements(module.name)}


CHOICES = {
    "core alone": frozenset[str](),
    **{f"{module.name} alone": with_requirements(module.name) for module in MODULES},
    **{f"without {module.name}": ALL_MODULES - _requiring(module.name) for module in MODULES},
}


def _names_of(declared: Iterable[tuple[str, Any]], modules: frozenset[str]) -> list[str]:
    return sorted(name for name, each in declared if module_of(each.handler.__module__) in {None, *modules})


def _first_paths(modules: Collection[str]) -> Mapping[str, str]:
    """Return the path of a GET operation of each module."""
    found: dict[str, str] = {}
    for binding, operation in registry().bindings(Rest):
        owner = module_of(operation.handler.__module__)
        if owner and owner in modules and binding.method == "GET" and "{" not in binding.path:
            found[f"/api{binding.path}"] = owner
    return found


def _start(modules: frozenset[str], folder: Path, paths: Iterable[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.processes.started_modules", migrated_file(folder), *paths]
    environment = {
        **os.environ,
        "HAULIER_MODULES": ",".join(["core", *sorted(modules)]),
        "HAULIER_METRICS_ADDRESS": "off",
    }
    environment["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT}"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("choice", CHOICES)
def test_a_process_loads_only_the_selected_modules(choice: str, tmp_path: Path) -> None:
    modules = CHOICES[choice]
    paths = {**_first_paths(ALL_MODULES), **PAGES}
    seen = _start(modules, tmp_path, paths)

    assert seen["ready"] == 200
    unchosen = {owner for each in seen["imported"] if (owner := module_of(each))} - modules
    assert unchosen == set()
    described = [name for name in seen["described"] if registry().get(name)]  # streams have separate names
    assert described == _names_of(((each.name, each) for each in registry() if _is_described(each)), modules)
    assert seen["jobs"] == _names_of(background().job_types.items(), modules)
    assert {path for path, status in seen["statuses"].items() if status == 404} == {
        path for path, owner in paths.items() if owner not in modules
    }


def _is_described(operation: Any) -> bool:
    return any(isinstance(interface, Rest) for interface in operation.interfaces)


def test_an_unknown_module_is_refused_with_the_existing_ones() -> None:
    with pytest.raises(InvalidSetting, match=r"unknown module 'locker'; modules are contractors, shipping, .*lockers"):
        load_settings(modules="locker")


def test_a_module_without_its_required_module_is_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"module 'storage' requires 'warehouse'; add it or remove 'storage'"):
        load_settings(modules="storage,shipping")


def test_all_modules_are_loaded_by_default() -> None:
    assert parse_modules(None) == ALL_MODULES
    assert parse_modules("core") == frozenset()


def test_nouns_created_elsewhere_exist() -> None:
    nouns = resources_of(registry())
    assert registry().noun_words.made_by.keys() <= nouns.by_key.keys()
