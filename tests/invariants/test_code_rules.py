"""Rules of the house that an import linter cannot see, checked over every source file."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "haulier"
PYTHON = sorted([*SOURCE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")])
FILE_LINES = 400
FUNCTION_LINES = 50
REFUSED_NAMES = {"utils", "helpers", "common", "service", "manager", "base"}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_a_file_is_short_enough_to_read_in_one_sitting() -> None:
    lines = {name(path): len(path.read_text().splitlines()) for path in PYTHON if "versions" not in path.parts}
    assert {path: count for path, count in lines.items() if count > FILE_LINES} == {}


def test_a_function_fits_on_one_screen() -> None:
    lines = {
        f"{name(path)}:{function.name}": (function.end_lineno or 0) - function.lineno + 1
        for path in PYTHON
        if "versions" not in path.parts
        for function in functions(path)
    }
    assert {function: count for function, count in lines.items() if count > FUNCTION_LINES} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name(path) for path in SOURCE.rglob("*.py") if path.stem in REFUSED_NAMES] == []


def test_every_module_says_what_it_is_for() -> None:
    silent = [p for p in SOURCE.rglob("*.py") if "versions" not in p.parts and not ast.get_docstring(parsed(p))]
    assert [name(path) for path in silent] == []


def test_only_the_real_clock_reads_the_time() -> None:
    """Everything else gets the time from its call, so that tests choose it."""
    allowed = {SOURCE / "kernel" / "application.py"}
    found = [
        name(path)
        for path in SOURCE.rglob("*.py")
        if path not in allowed and "cli" not in path.parts and "simulation" not in path.parts
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and node.attr in {"now", "utcnow", "today"}
        and isinstance(node.value, ast.Name)
        and node.value.id in {"datetime", "date"}
    ]
    assert found == []


def test_contexts_write_sql_only_in_their_stores() -> None:
    sql = {"select", "insert", "update", "delete", "text"}
    found = [
        f"{name(path)}:{node.lineno}"
        for path in (SOURCE / "contexts").rglob("*.py")
        if path.stem != "store" and "store" not in path.parts
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module == "sqlalchemy" and sql & {a.name for a in node.names}
    ]
    assert found == []


def test_only_the_unit_of_work_ends_a_transaction() -> None:
    found = [
        f"{name(path)}:{node.lineno}"
        for path in [*(SOURCE / "contexts").rglob("*.py"), *(SOURCE / "doors").rglob("*.py")]
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"commit", "rollback"}
    ]
    assert found == []


def test_a_call_is_made_in_one_place_only() -> None:
    """`call_as` alone makes calls, so that none leaves a field out."""
    found = [
        name(path)
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Call"
    ]
    assert found == ["src/haulier/kernel/call.py"]


def test_the_kernel_needs_no_imports_for_the_type_checker_alone() -> None:
    """Such an import hides a circle of modules from the import contracts."""
    found = [
        name(path)
        for path in (SOURCE / "kernel").rglob("*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Name | ast.alias)
        and "TYPE_CHECKING" in {getattr(node, "id", ""), getattr(node, "name", "")}
    ]
    assert found == []
