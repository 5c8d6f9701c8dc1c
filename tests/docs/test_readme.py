"""The README tour on a new demo: commands print the shown output."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.docs.blocks import ROOT, SHELL, Block, blocks, run
from tests.docs.likeness import fault
from tests.support.live import make_server

TOUR = {r"/tmp/order\.json": "order.json", r"\.venv/bin/": "", "examples/": f"{ROOT}/examples/"}
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]


@pytest.fixture(scope="module")
def shell_blocks() -> list[Block]:
    return [block for block in blocks("README.md") if block.language == SHELL]


def test_the_two_commands_exist_in_the_makefile(shell_blocks: list[Block]) -> None:
    commands = [line.partition("#")[0].split() for line in shell_blocks[0].text.splitlines()]
    assert commands == [["make", "run"], ["make", "test"]]
    would = subprocess.run(["make", "--dry-run", "run"], cwd=ROOT, text=True, capture_output=True, check=True)
    assert "haulier serve --demo" in would.stdout
    would = subprocess.run(["make", "--dry-run", "test"], cwd=ROOT, text=True, capture_output=True, check=True)
    assert "pytest" in would.stdout


def test_the_tour_runs_and_prints_the_shown_output(shell_blocks: list[Block], tmp_path: Path) -> None:
    steps = shell_blocks[1:]
    with make_server(tmp_path) as base:
        printed = run(steps, tmp_path, base, {"HAULIER_BASE_URL": base}, TOUR)
    compared = [(step.shown, said) for step, said in zip(steps, printed, strict=True) if step.shown]
    assert len(compared) >= 8
    for shown, said in compared:
        wrong = fault(shown.text, said)
        assert not wrong, f"README.md, line {shown.line}: {wrong}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_to_a_file_resolves(document: Path) -> None:
    prose = re.sub(r"`[^`]*`", "", document.read_text())
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", prose)
    assert [link for link in links if "://" not in link and not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_named_make_target_exists(document: Path) -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", document.read_text())) <= known
