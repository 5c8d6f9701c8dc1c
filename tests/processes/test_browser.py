"""Lookup of the Chromium used for pages."""

import json
from pathlib import Path

import playwright
import pytest
from scripts.browser import chromium

LISTED = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"


@pytest.fixture(autouse=True)
def _nothing_yet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))


def test_one_on_the_path_is_taken(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.touch(mode=0o755)
    assert chromium() == str(program)


def test_else_the_one_that_playwright_brought_for_its_present_version(tmp_path: Path) -> None:
    (revision,) = (
        each["revision"] for each in json.loads(LISTED.read_text())["browsers"] if each["name"] == "chromium"
    )
    for name in ("chromium-1", f"chromium-{revision}"):
        program = tmp_path / name / "chrome-linux64" / "chrome"
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
    assert chromium() == str(program)


def test_else_there_is_none() -> None:
    assert chromium() is None
