"""In CI, a skipped test that is not on the list counts as a failure.

A line of `allowed_skips.txt` has patterns of a test and a reason, separated by ` | `; both must match.
"""

import os
from collections.abc import Generator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).with_name("allowed_skips.txt")


def allowed(test: str, reason: str, lines: list[str] | None = None) -> bool:
    """Return True if the list allows a test to skip for a reason."""
    for line in LIST.read_text().splitlines() if lines is None else lines:
        tests, between, reasons = line.partition(" | ")
        if between and not line.startswith("#") and fnmatchcase(test, tests) and fnmatchcase(reason, reasons):
            return True
    return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Check skipped tests."""
    return _judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Check files that skip as a whole."""
    return _judged((yield))


def _judged(report: Any) -> Any:
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = reason.removeprefix("Skipped: ")
        if not allowed(report.nodeid, reason):
            report.outcome = "failed"
            report.longrepr = (
                f"{report.nodeid} skipped where CI runs, and is not in tests/support/{LIST.name}: {reason}"
            )
    return report
