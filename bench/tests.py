"""Cost of the tests: cases, seconds, and seconds per operation.

`python -m bench.tests` runs `make test` and `make e2e` and writes `bench/TESTS.md`; `python -m bench.tests FILE…` reads
existing pytest reports (`--junitxml=test.xml -o junit_family=xunit1`). Seconds of folders are the total of their cases
over all workers. Seconds per operation show whether the tests grow faster than the API.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from haulier.app import registry

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("TESTS.md")
TARGETS = ("test", "e2e")


def run_tests(folder: Path) -> list[Path]:
    """Run both targets; return their reports."""
    reports = [folder / f"{target}.xml" for target in TARGETS]
    for target, report in zip(TARGETS, reports, strict=True):
        options = {"PYTEST_ADDOPTS": f"--junitxml={report} -o junit_family=xunit1"}
        subprocess.run(["make", target], cwd=ROOT, check=False, env=os.environ | options)
    return reports


def read_reports(reports: Iterable[Path]) -> tuple[Counter[str], Mapping[str, float], Counter[str]]:
    """Return cases, seconds and outcomes by folder, such as `tests/kernel`."""
    seconds: defaultdict[str, float] = defaultdict(float)
    cases, outcomes = Counter[str](), Counter[str]()
    for case in (case for report in reports for case in ElementTree.parse(report).iter("testcase")):
        parts = case.get("file", "").split("/")
        folder = "/".join(parts[: 3 if parts[1:2] == ["contexts"] else 2])
        cases[folder] += 1
        seconds[folder] += float(case.get("time", 0))
        outcomes[next((child.tag for child in case if child.tag in {"failure", "error", "skipped"}), "passed")] += 1
    return cases, seconds, outcomes


def wall_times(reports: Iterable[Path]) -> str:
    """Return the wall-clock time of each run: `make test 359 s`."""
    suites = ((report.stem, ElementTree.parse(report).find("testsuite")) for report in reports)
    return ", ".join(
        f"`make {name}` {float(suite.get('time', 0)):.0f} s" for name, suite in suites if suite is not None
    )


def page(reports: Sequence[Path]) -> str:
    """Return the results page."""
    cases, seconds, outcomes = read_reports(reports)
    operations = len(registry())
    total = sum(seconds.values())
    head = f"{sum(cases.values())} cases ({', '.join(f'{n} {kind}' for kind, n in sorted(outcomes.items()))})"
    slowest_first = sorted(seconds, key=seconds.__getitem__, reverse=True)
    lines = [
        "# Cost of the tests",
        "",
        f"{head}: {wall_times(reports)}. {total:.0f} s of all workers for {operations} operations:",
        f"{total / operations:.2f} s and {sum(cases.values()) / operations:.1f} cases for each.",
        "Measured by `python -m bench.tests`.",
        "",
        "| folder | cases | seconds |",
        "| --- | ---: | ---: |",
        *(f"| {folder} | {cases[folder]} | {seconds[folder]:.1f} |" for folder in slowest_first),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, or read reports, and write the results page."""
    if len(sys.argv) > 1:
        PAGE.write_text(page([Path(name) for name in sys.argv[1:]]))
        return
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page(run_tests(Path(folder))))


if __name__ == "__main__":
    main()
