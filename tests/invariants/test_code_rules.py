"""Code rules that an import linter cannot check, applied to every source file."""

import ast
import gc
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from haulier.app import registry
from haulier.modules import module_of

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "haulier"
PYTHON = sorted([*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")])
FILE_LINES = 600
FUNCTION_LINES = 50
REFUSED_NAMES = {"utils", "helpers", "common", "service", "manager", "base"}
CONTEXT_FILES = {"__init__", "public", "events", "ports", "fields"}
FAMILY_FILES = re.compile(
    "__init__|contract|rules|errors|store|queries|actions|serializers|operations|jobs|notifications|public"
)
"""ARCHITECTURE.md describes their contents. A family has them as files or folders."""
ONE_FILE_EACH = {"otep/projections": "a format", "otep/carriers": "a carrier's table of codes"}
"""Families with a file for each thing of a kind, named after it."""
BARE_VERB = re.compile(
    "add|all|apply|build|called|change|check|close|count|create|delete|end|fetch|filter|find|get|give|handle|keep|list|load|"
    "make|move|of|one|open|page|parse|process|put|query|read|remove|render|result|row|rows|save|search|select|send|set|show|"
    "some|start|store|take|tell|transform|update|whole|write"
)
"""Function names that neither a search nor a reader of the importing line can follow."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module", autouse=True)
def without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection, which takes three quarters of these tests' time."""
    gc.disable()
    yield
    gc.enable()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return every node of a file, cached because walking a tree is slow."""
    return tuple(ast.walk(parsed(path)))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_files_are_at_most_600_lines() -> None:
    lines = {name(path): len(path.read_text().splitlines()) for path in PYTHON if "versions" not in path.parts}
    assert {path: count for path, count in lines.items() if count > FILE_LINES} == {}


def test_functions_are_at_most_50_lines() -> None:
    lines = {
        f"{name(path)}:{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for path in PYTHON
        if "versions" not in path.parts
        for function in functions(path)
    }
    assert {function: count for function, count in lines.items() if count > FUNCTION_LINES} == {}


def test_a_layer_that_fits_into_one_file_is_one_file() -> None:
    """Merge a folder that fits into one file, unless a module is passed as a module."""
    contexts = SOURCE / "contexts"
    folders = {path.parent for path in contexts.glob("*/*/*/__init__.py")} - {contexts / "otep/carriers/rules"}
    lines = {
        name(folder): sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py")) for folder in folders
    }
    assert {folder: count for folder, count in lines.items() if count <= FILE_LINES} == {}


def test_module_names_are_meaningful() -> None:
    assert [name(path) for path in SOURCE.rglob("*.py") if path.stem in REFUSED_NAMES] == []


def test_contexts_and_families_contain_only_listed_files() -> None:
    """Allow only the listed names, plus data files beside their reader."""
    contexts = SOURCE / "contexts"
    found: list[str] = []
    for path in sorted(contexts.rglob("*.py")):
        context, *inside = path.relative_to(contexts).with_suffix("").parts
        family, place = inside[:1], inside[1:2]
        if inside and not place and family[0] not in CONTEXT_FILES:
            found.append(name(path))
        if place and not FAMILY_FILES.fullmatch(place[0]) and f"{context}/{family[0]}" not in ONE_FILE_EACH:
            found.append(name(path))
    assert found == []


def test_context_files_are_named_after_nouns() -> None:
    """Names are nouns: `assignments.py`, not `assigning.py`."""
    assert [name(path) for path in (SOURCE / "contexts").rglob("*.py") if path.stem.endswith("ing")] == []


def test_public_class_names_are_unique() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name(path))
    assert {each: paths for each, paths in places.items() if len(paths) > 1} == {}


def test_no_exported_function_is_named_with_a_bare_verb() -> None:
    found = [
        f"{name(path)}:{node.name}"
        for path in SOURCE.rglob("*.py")
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and BARE_VERB.fullmatch(node.name)
    ]
    assert found == []


def test_every_module_has_a_docstring() -> None:
    silent = [p for p in SOURCE.rglob("*.py") if "versions" not in p.parts and not ast.get_docstring(parsed(p))]
    assert [name(path) for path in silent] == []


def test_only_the_real_clock_reads_the_time() -> None:
    """Other code gets the time from its call, so that tests control it."""
    allowed = {SOURCE / "kernel" / "data" / "clock.py"}
    found = [
        name(path)
        for path in SOURCE.rglob("*.py")
        if path not in allowed and "cli" not in path.parts and "simulation" not in path.parts
        for node in nodes(path)
        if isinstance(node, ast.Attribute)
        and node.attr in {"now", "utcnow", "today"}
        and isinstance(node.value, ast.Name)
        and node.value.id in {"datetime", "date"}
    ]
    assert found == []


def test_contexts_use_sql_only_in_their_stores() -> None:
    sql = {"select", "insert", "update", "delete", "text"}
    found = [
        f"{name(path)}:{node.lineno}"
        for path in (SOURCE / "contexts").rglob("*.py")
        if path.stem != "store" and "store" not in path.parts
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module == "sqlalchemy" and sql & {a.name for a in node.names}
    ]
    assert found == []


def test_only_the_unit_of_work_ends_a_transaction() -> None:
    found = [
        f"{name(path)}:{node.lineno}"
        for path in [*(SOURCE / "contexts").rglob("*.py"), *(SOURCE / "api").rglob("*.py")]
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"commit", "rollback"}
    ]
    assert found == []


def test_calls_are_created_in_one_place() -> None:
    """Create calls only in `call_as`, so that none lacks a field."""
    found = [
        name(path)
        for path in SOURCE.rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Call"
    ]
    assert found == ["src/haulier/kernel/call.py"]


def test_the_kernel_has_no_type_checking_imports() -> None:
    """This import hides a module cycle from the import contracts."""
    found = [
        name(path)
        for path in (SOURCE / "kernel").rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Name | ast.alias)
        and "TYPE_CHECKING" in {getattr(node, "id", ""), getattr(node, "name", "")}
    ]
    assert found == []


NAMED_BY_DOORS = {
    # Instructions for every connecting agent: first steps, operations that are no tools, and approval of writes
    # (docs/decisions/interfaces.md and agents.md).
    ("src/haulier/api/mcp/app.py", "describe_operation"),
    ("src/haulier/api/mcp/app.py", "get_capabilities"),
    ("src/haulier/api/mcp/app.py", "propose_write"),
    # The path of the sign-in that `ai-tools.json` gives; the interface prescribes both.
    ("src/haulier/api/discovery/documents.py", "login"),
}
"""Operations that a door names all the same. The skill file and `catalogue.toml` name tools too; they are no code."""


def test_interfaces_are_derived_and_name_no_operation() -> None:
    """Pages import operations of the core and look up those of modules by name.

    A door that names one would not fit another registry.
    """
    of_core = {operation.name for operation in registry() if module_of(operation.handler.__module__) is None}
    names = {"api": {operation.name for operation in registry()}, "web": of_core}
    found = {
        (name(path), word)
        for folder in ("api", "web")
        for path in (SOURCE / folder).rglob("*.py")
        for text in string_constants(path)
        for word in re.findall(r"\b\w+\b(?!\.html)", text)
        if word in names[folder]
    }
    assert found == NAMED_BY_DOORS


def string_constants(path: Path) -> Iterator[str]:
    """Yield every string of a module except docstrings."""
    docstrings = {
        id(node.value) for node in nodes(path) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def imported_modules(path: Path) -> Iterator[tuple[str, str]]:
    """Yield every module that a file imports, with the name bound to it or a part."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield f"{node.module}.{alias.name}", alias.asname or alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, alias.asname or alias.name.partition(".")[0]


TESTS = sorted((ROOT / "tests").rglob("*.py"))


def test_test_files_are_not_imported() -> None:
    """Shared test code is in modules without `test_`, or in tests/support."""
    found = [
        f"{name(path)}: {module}"
        for path in TESTS
        for module, _ in imported_modules(path)
        if module.startswith("tests.") and any(part.startswith("test_") for part in module.split("."))
    ]
    assert found == []


def test_no_conftest_patches_the_source() -> None:
    """Tests patch `haulier` themselves; changes for all tests are settings."""
    found = [
        f"{name(path)}:{node.lineno}"
        for path in TESTS
        if path.name == "conftest.py"
        for node in patches_of(
            {known for module, known in imported_modules(path) if module.startswith("haulier")}, path
        )
    ]
    assert found == []


def patches_of(names: set[str], path: Path) -> Iterator[ast.expr]:
    """Yield the targets that set an attribute of the given names or of a module path."""
    for node in nodes(path):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            one = [node.target] if isinstance(node, ast.AugAssign | ast.AnnAssign) else node.targets
            targets = [target for target in one if isinstance(target, ast.Attribute | ast.Subscript)]
        elif isinstance(node, ast.Call) and SETTERS & {getattr(node.func, "attr", ""), getattr(node.func, "id", "")}:
            targets = node.args[:1]
        for target in targets:
            root = target
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            text = root.value if isinstance(root, ast.Constant) else None
            if (isinstance(root, ast.Name) and root.id in names) or str(text).startswith("haulier."):
                yield target


SETTERS = {"setattr", "setitem", "delattr", "delitem", "patch", "object"}
"""Functions of `monkeypatch`, `unittest.mock` and Python that set foreign attributes."""
