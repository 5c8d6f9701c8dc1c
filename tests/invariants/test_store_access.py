"""The store of a family belongs to the family alone."""

import ast
from pathlib import Path

CONTEXTS = Path(__file__).parents[2] / "src" / "haulier" / "contexts"


def store_owner(module: str) -> str | None:
    """The family whose store a module belongs to, as `context.family`, or None for any other module."""
    parts = module.removeprefix("haulier.contexts.").split(".")
    return ".".join(parts[:2]) if module.startswith("haulier.contexts.") and parts[2:3] == ["store"] else None


def test_a_store_is_imported_by_its_own_family_only() -> None:
    """Except for tables that another store joins: they stand in `store/tables.py`."""
    faults: list[str] = []
    for path in CONTEXTS.rglob("*.py"):
        parts = path.relative_to(CONTEXTS).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            for module in {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}:
                owner = store_owner(module)
                joined = "store" in parts and ".store.tables" in module + "."
                if owner and owner != ".".join(parts[:2]) and not joined:
                    faults.append(f"{'/'.join(parts)}: {module}")
    assert not faults
