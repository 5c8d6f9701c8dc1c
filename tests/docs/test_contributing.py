"""The guides for contributors are followed literally, in a copy of the checkout, and what they promise happens."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.blocks import ROOT
from tests.docs.contributing import NEW, RUN, copy_of_the_checkout, follow, guide_steps, run_commands
from tests.docs.likeness import fault

GUIDES = ROOT / "docs/contributing"
FOLLOWED = ["operation", "family", "otep-format", "webhook-event", "migration", "test"]
PAGE_LINES = 200


def badly_written(files: list[Path], checkout: Path) -> str:
    """What ruff says of files that a guide made."""
    said = ""
    for command in (["check", "--quiet"], ["format", "--diff", "--quiet"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, *files], cwd=checkout, capture_output=True, text=True, check=False
        )
        said += ran.stdout + ran.stderr if ran.returncode else ""
    return said


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_guide_does_what_it_promises(name: str, tmp_path: Path) -> None:
    checkout, new = copy_of_the_checkout(tmp_path), list[Path]()
    promised = 0
    for step in guide_steps(GUIDES / f"{name}.md"):
        if step.kind == RUN:
            printed = run_commands(step, checkout)
            if step.shown:
                wrong = fault(step.shown, printed)
                assert not wrong, f"{name}.md: {wrong}"
            promised += 1
            continue
        written = follow(step, checkout)
        new += written if step.kind == NEW else []
    assert promised
    assert badly_written([file for file in new if file.suffix == ".py"], checkout) == ""


def test_a_guide_is_a_page() -> None:
    lines = {path.name: len(path.read_text().splitlines()) for path in GUIDES.glob("*.md")}
    assert {name: count for name, count in lines.items() if count > PAGE_LINES} == {}
