"""In CI, a test may only skip if it is on the list."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.skips import LIST, allowed

ROOT = Path(__file__).resolve().parents[2]
CONFTEST = """
from tests.support.skips import pytest_make_collect_report as pytest_make_collect_report
from tests.support.skips import pytest_runtest_makereport as pytest_runtest_makereport
"""
SKIPPING = {
    "by_itself": "import pytest\ndef test_one(): pytest.skip('no printer')\n",
    "by_a_mark": "import pytest\n@pytest.mark.skipif(True, reason='no printer')\ndef test_one(): pass\n",
    "as_a_file": "import pytest\npytest.importorskip('no_such_module', reason='no printer')\n",
}
EXPECTED_TO_FAIL = "import pytest\n@pytest.mark.xfail(reason='no printer')\ndef test_one(): raise ValueError\n"


def outcome(files: dict[str, str], folder: Path, ci: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    for name, source in files.items():
        (folder / f"test_{name}.py").write_text(source)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--continue-on-collection-errors",
        "--rootdir",
        str(folder),
        str(folder),
    ]
    alone = {"CI": ci, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = {**os.environ, **alone}
    return subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, timeout=60, check=False)


def test_an_unlisted_skip_fails_in_ci(tmp_path: Path) -> None:
    ran = outcome(SKIPPING, tmp_path, "true")
    assert ran.returncode != 0
    for name in SKIPPING:
        assert re.search(
            rf"test_{name}\.py\S* skipped where CI runs.* tests/support/allowed_skips\.txt: no printer", ran.stdout
        )


def test_tests_can_be_skipped_locally(tmp_path: Path) -> None:
    ran = outcome({**SKIPPING, "passing": "def test_two(): pass\n"}, tmp_path, "")
    assert ran.returncode == 0, ran.stdout
    assert "1 passed, 3 skipped" in ran.stdout


def test_an_expected_failure_is_not_a_skip(tmp_path: Path) -> None:
    assert outcome({"failing": EXPECTED_TO_FAIL}, tmp_path, "true").returncode == 0


def test_a_listed_skip_must_match_by_test_and_reason() -> None:
    lines = ["# tests/c.py::* | *", "tests/a/* | no printer*", "tests/b.py::test_one | *"]
    assert allowed("tests/a/test_x.py::test_one", "no printer here", lines)
    assert not allowed("tests/a/test_x.py::test_one", "no scanner", lines)
    assert allowed("tests/b.py::test_one", "", lines)
    assert not allowed("tests/b.py::test_two", "", lines)
    assert not allowed("# tests/c.py::test_one", "", lines)


def test_every_listed_test_exists() -> None:
    patterns = [line.partition(" | ")[0] for line in LIST.read_text().splitlines() if not line.startswith("#")]
    assert patterns
    for pattern in patterns:
        assert list(ROOT.glob(pattern.partition("::")[0])), f"{pattern} is nobody's name"
