"""Contributor guides work when followed literally in a copy of the checkout."""

import re
import subprocess
import sys
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.docs.guide_steps import NEW, RUN, copy_of_the_checkout, follow, guide_steps, run_commands
from tests.docs.likeness import fault

GUIDES = ROOT / "docs/contributing"
FOLLOWED = ["operation", "family", "otep-format", "webhook-event", "migration", "test"]
PAGE_LINES = 205
PYTEST = "python -m pytest -q"


def badly_written(files: list[Path], checkout: Path) -> str:
    """Return the findings of ruff in files made by a guide."""
    said = ""
    for command in (["check", "--quiet"], ["format", "--diff", "--quiet"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *files], cwd=checkout, capture_output=True, text=True, check=False
        )
        said += ran.stdout + ran.stderr if ran.returncode else ""
    return said


def test_the_guides_work_as_written(tmp_path: Path) -> None:
    """All guides run in one copy; their final tests run together to start only once."""
    checkout, new, tests = copy_of_the_checkout(tmp_path), list[Path](), list[str]()
    for name in FOLLOWED:
        for step in guide_steps(GUIDES / f"{name}.md"):
            if step.kind != RUN:
                written = follow(step, checkout)
                new += written if step.kind == NEW else []
                continue
            tests += [line for line in step.text.splitlines() if line.startswith(PYTEST)]
            printed = run_commands(re.sub(rf"^{PYTEST}.*\n", "", step.text, flags=re.MULTILINE), checkout)
            if step.shown:
                wrong = fault(step.shown, printed)
                assert not wrong, f"{name}.md: {wrong}"
    assert len(tests) >= len(FOLLOWED) - 1
    run_commands(PYTEST + "".join(line.removeprefix(PYTEST) for line in tests), checkout)
    assert badly_written([file for file in new if file.suffix == ".py"], checkout) == ""


def test_a_guide_is_a_page() -> None:
    lines = {
        path.name: len(path.read_text().splitlines())
        for path in GUIDES.glob("*.md")
        if not path.name.startswith("glossary-")
    }
    assert {name: count for name, count in lines.items() if count > PAGE_LINES} == {}
