"""Installation of Chromium for the browser tests.

It uses Playwright's Chromium, or that of the distribution if it cannot be downloaded, and does nothing if one is
installed. It fails unless Chromium can open a page.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
CACHES = (Path.home() / ".cache" / "ms-playwright", Path.home() / "Library" / "Caches" / "ms-playwright")
INSIDE = ("chrome-linux*/chrome", "chrome-mac*/*.app/Contents/MacOS/*")
PATIENCE_S = 600


def chromium() -> str | None:
    """Return the Chromium on the path or of the installed Playwright version, if any."""
    return next(filter(None, map(shutil.which, NAMES)), None) or _of_playwright()


def _of_playwright() -> str | None:
    import playwright

    listed = json.loads(Path(playwright.__file__).parent.joinpath("driver/package/browsers.json").read_text())
    (revision,) = (each["revision"] for each in listed["browsers"] if each["name"] == "chromium")
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    for folder in (Path(named),) if named else CACHES:
        for inside in INSIDE:
            if found := sorted(folder.glob(f"chromium-{revision}/{inside}")):
                return str(found[0])
    return None


def main() -> int:
    """Install Chromium if necessary, and open a page."""
    there = chromium()
    if there is None:
        _bring()
        there = chromium()
    if there is None:
        print(
            "no Chromium available: install the package `chromium`, or allow Playwright to download it", file=sys.stderr
        )
        return 1
    print(f"{there}: Chromium {_opens(there)}")
    return 0


def _bring() -> None:
    root = os.geteuid() == 0
    words = ["install", *(["--with-deps"] if root and shutil.which("apt-get") else []), "--no-shell", "chromium"]
    if _ran("Playwright's own Chromium", [sys.executable, "-m", "playwright", *words]):
        return
    if not (root and shutil.which("apt-get")):
        return
    install = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "chromium"]
    if _ran("the lists of the distribution's packages", ["apt-get", "update", "--quiet"]):
        _ran("the distribution's Chromium", install)


def _ran(what: str, command: list[str]) -> bool:
    print(f"installing {what} …", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        ran = subprocess.run(
            command,
            text=True,
            timeout=PATIENCE_S,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        print(f"  gave up after {PATIENCE_S} s")
        return False
    if ran.returncode:
        lines = [line for line in ran.stdout.splitlines() if line.strip()]
        print(
            "  it is not available:",
            next((line for line in lines if "rror" in line), lines[-1] if lines else "no reason given"),
        )
    return ran.returncode == 0


def _opens(executable: str) -> str:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        try:
            page = browser.new_page()
            page.set_content("<title>here</title>")
            assert page.title() == "here"
            return browser.version
        finally:
            browser.close()


if __name__ == "__main__":
    sys.exit(main())
