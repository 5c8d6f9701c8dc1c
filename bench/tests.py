"""What the tests cost: cases, seconds, and seconds for each operation, so that twice the operations do not take twice the time.

`python -m bench.tests` runs the whole suite once, as `make test` and `make e2e` do together, and writes `bench/TESTS.md`;
`python -m bench.tests FILE` reads a report that pytest wrote (`--junitxml`). Seconds of folders are those of their cases, on
all workers together.
"""

import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from haulier.app import registry

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("TESTS.md")
WORKERS = "4"


def run_tests(report: Path) -> float:
    """The whole suite: what `make test` and `make e2e` run. Returns the seconds it took."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-n", WORKERS, "--dist", "worksteal", "-q", "tests"]
    subprocess.run([*command, f"--junitxml={report}", "-o", "junit_family=xunit1"], cwd=ROOT, check=False)
    return time.perf_counter() - began


def read_report(report: Path) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Cases, seconds and outcomes by folder of tests (`tests/contexts/orders`, `tests/kernel`)."""
    cases, seconds, outcomes = Counter[str](), Counter[str](), Counter[str]()
    for case in ElementTree.parse(report).iter("testcase"):
        parts = case.get("file", "").split("/")
        folder = "/".join(parts[: 3 if parts[1:2] == ["contexts"] else 2])
        cases[folder] += 1
        seconds[folder] += float(case.get("time", 0))
        outcomes[next((child.tag for child in case if child.tag in {"failure", "error", "skipped"}), "passed")] += 1
    return cases, seconds, outcomes


def page(report: Path, wall_s: float | None) -> str:
    """The measurement as a page."""
    cases, seconds, outcomes = read_report(report)
    operations = len(registry())
    total = sum(seconds.values())
    head = f"{sum(cases.values())} cases ({', '.join(f'{n} {kind}' for kind, n in sorted(outcomes.items()))})"
    wall = f", {wall_s:.0f} s with {WORKERS} workers" if wall_s else ""
    lines = [
        "# What the tests cost",
        "",
        f"{head}{wall}. {total:.0f} s of all workers for {operations} operations: {total / operations:.2f} s and",
        f"{sum(cases.values()) / operations:.1f} cases for each operation. Measured by `python -m bench.tests`.",
        "",
        "| folder | cases | seconds |",
        "| --- | ---: | ---: |",
        *(f"| {folder} | {cases[folder]} | {seconds[folder]:.1f} |" for folder, _ in seconds.most_common()),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, or read a measurement, and write the page."""
    if len(sys.argv) > 1:
        PAGE.write_text(page(Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else None))
        return
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        wall_s = run_tests(report)
        PAGE.write_text(page(report, wall_s))


if __name__ == "__main__":
    main()
