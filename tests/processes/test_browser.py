"""Lookup of the Chromium used for pages."""

import json
from pathlib import Path

import playwright
import pytest
from scripts.browser import chromium

LISTED = Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))


def test_a_browser_on_the_path_is_used(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.touch(mode=0o755)
    assert chromium() == str(program)


def test_otherwise_the_browser_of_the_installed_playwright_is_used(tmp_path: Path) -> None:
    (revision,) = (
        each["revision"] for each in json.loads(LISTED.read_text())["browsers"] if each["name"] == "chromium"
    )
    for name in ("chromium-1", f"chromium-{revision}"):
        program = tmp_path / name / "chrome-linux64" / "chrome"
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
    assert chromium() == str(program)


def test_without_either_there_is_no_browser() -> None:
    assert chromium() is None
