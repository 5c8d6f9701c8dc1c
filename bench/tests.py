"""What the tests cost: cases, seconds, and seconds for each operation, so that twice the operations do not take twice the time.

`python -m bench.tests` runs `make test` and `make e2e` and writes `bench/TESTS.md`; `python -m bench.tests FILE…` reads reports
that pytest wrote (`--junitxml=test.xml -o junit_family=xunit1`). Seconds of folders are those of their cases, on all workers
together.
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
    """Run both targets. Returns their reports."""
    reports = [folder / f"{target}.xml" for target in TARGETS]
    for target, report in zip(TARGETS, reports, strict=True):
        options = {"PYTEST_ADDOPTS": f"--junitxml={report} -o junit_family=xunit1"}
        subprocess.run(["make", target], cwd=ROOT, check=False, env=os.environ | options)
    return reports


def read_reports(reports: Iterable[Path]) -> tuple[Counter[str], Mapping[str, float], Counter[str]]:
    """Cases, seconds and outcomes by folder of tests (`tests/contexts/orders`, `tests/kernel`)."""
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
    """How long each run took by the clock: `make test 359 s`."""
    suites = ((report.stem, ElementTree.parse(report).find("testsuite")) for report in reports)
    return ", ".join(
        f"`make {name}` {float(suite.get('time', 0)):.0f} s" for name, suite in suites if suite is not None
    )


def page(reports: Sequence[Path]) -> str:
    """The measurement as a page."""
    cases, seconds, outcomes = read_reports(reports)
    operations = len(registry())
    total = sum(seconds.values())
    head = f"{sum(cases.values())} cases ({', '.join(f'{n} {kind}' for kind, n in sorted(outcomes.items()))})"
    slowest_first = sorted(seconds, key=seconds.__getitem__, reverse=True)
    lines = [
        "# What the tests cost",
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
    """Measure, or read a measurement, and write the page."""
    if len(sys.argv) > 1:
        PAGE.write_text(page([Path(name) for name in sys.argv[1:]]))
        return
    with tempfile.TemporaryDirectory() as folder:
        PAGE.write_text(page(run_tests(Path(folder))))


if __name__ == "__main__":
    main()
