"""The store of a family is used by that family alone."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from sqlalchemy import Table

CONTEXTS = Path(__file__).parents[2] / "src" / "haulier" / "contexts"


def store_owner(module: str) -> str | None:
    """Return the family that owns a module of a store as `context.family`, or None."""
    parts = module.removeprefix("haulier.contexts.").split(".")
    return ".".join(parts[:2]) if module.startswith("haulier.contexts.") and parts[2:3] == ["store"] else None


def imports_of_other_stores(path: Path) -> Iterator[tuple[str, str]]:
    """List imports from stores of other families: module and name."""
    family = ".".join(path.relative_to(CONTEXTS).parts[:2])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if store_owner(f"{node.module}.{alias.name}") not in {None, family}:
                    yield node.module, alias.name


def is_shared(module: str, name: str) -> bool:
    """Return True for a table or a constant."""
    return store_owner(module) is not None and (
        isinstance(getattr(import_module(module), name, None), Table) or name.isupper()
    )


def test_a_store_is_imported_only_by_its_own_family() -> None:
    """Allow tables that another store joins, and constants."""
    faults: list[str] = []
    for path in CONTEXTS.rglob("*.py"):
        place = path.relative_to(CONTEXTS).with_suffix("").parts
        for module, name in imports_of_other_stores(path):
            if place[2:3] != ("store",) or not is_shared(module, name):
                faults.append(f"{'/'.join(place)}: {module}.{name}")
    assert faults == []
