"""Selection of the tests that run on SQLite and on PostgreSQL.

Most tests run on SQLite, and their statements are replayed on PostgreSQL (`tests/support/replay.py`). A test runs on
both if more than statements matters: concurrent transactions, locks, row-level security, migrations, drivers, walks
over every operation, and whole days. `make everything`, or any other value of `DB`, selects all.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
ON_BOTH = (
    *("adapters", "cli", "docs", "invariants", "kernel", "processes", "stories"),
    # their statements differ between the two
    *("contexts/billing/journal", "contexts/billing/ledger", "contexts/tracking/timelines"),
    *("contexts/control_tower/audit_log", "contexts/control_tower/personal_data", "contexts/control_tower/retention"),
)
"""Folders of tests that run on both databases."""
CONCURRENT = frozenset({"TaskGroup", "ThreadPoolExecutor", "create_task", "gather"})
"""Names that identify a test with concurrent calls, in itself or in its helpers."""
MAX_DEPTH = 3


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the PostgreSQL case of each test that needs SQLite alone."""
    if "DB" in os.environ:
        return
    replayed = [item for item in items if _is_postgres_case(item) and not runs_on_both(item)]
    if replayed:
        config.hook.pytest_deselected(items=replayed)
        left = set(replayed)
        items[:] = [item for item in items if item not in left]


def _is_postgres_case(item: pytest.Item) -> bool:
    parameters = getattr(item, "callspec", None)
    return parameters is not None and parameters.params.get("database_url") == "postgres"


def runs_on_both(item: pytest.Item) -> bool:
    """Return True if a test runs on both databases, where it stores anything."""
    path = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
    if path.startswith(tuple(f"{folder}/" for folder in ON_BOTH)):
        return True
    function: Any = getattr(item, "function", None)
    return any(name in CONCURRENT for name in _names(function, MAX_DEPTH))


def _names(function: Any, depth: int) -> Iterator[str]:
    """Yield the names that a function uses, including in called test helpers."""
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or not depth:
        return
    for name in _names_in(function.__code__):
        yield name
        called = function.__globals__.get(name)
        if isinstance(called, FunctionType) and called.__module__.startswith("tests."):
            yield from _names(called, depth - 1)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
