"""Examples in guides and READMEs of the SDKs run and print what is shown."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.sdk.generate import PYTHON
from scripts.sdk.typescript_build import run_node
from tests.docs.blocks import blocks
from tests.sdk.running import Running
from tests.sdk.typescript_programs import compiled


def program_and_output(document: str, language: str) -> tuple[str, str]:
    """Return the blocks of a language as one program, and its shown output."""
    found = blocks(document)
    program = "\n".join(block.text for block in found if block.language == language)
    return program, "".join(block.text for block in found if not block.language)


@pytest.fixture
def environment(running: Running, request: pytest.FixtureRequest) -> dict[str, str]:
    return {**os.environ, "BASE": running.base, "TOKEN": running.key(request.node.name.replace("_", "-")[-30:])}


def run_python(document: str, folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    program, shown = program_and_output(document, "python")
    file = folder / "program.py"
    file.write_text(program)
    environment["PYTHONPATH"] = str(PYTHON.parent)
    done = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stderr
    return done.stdout, shown


def test_the_python_guide_prints_the_shown_output(environment: dict[str, str], tmp_path: Path) -> None:
    printed, shown = run_python("docs/integrate/python-sdk.md", tmp_path, environment)
    assert printed == shown


def test_the_web_shop_of_the_python_readme_works(environment: dict[str, str], tmp_path: Path) -> None:
    printed, _ = run_python("sdk/python/README.md", tmp_path, environment)
    assert printed.startswith("SHOP-1001 NEW_ORDER b'%PDF'\nHL")


@pytest.mark.parametrize("document", ["docs/integrate/typescript-sdk.md", "sdk/typescript/README.md"])
def test_the_typescript_examples_print_the_shown_output(
    document: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program, shown = program_and_output(document, "ts")
    file = tmp_path / f"{Path(document).stem.lower()}.ts"
    file.write_text(program)
    for name in ("BASE", "TOKEN"):
        monkeypatch.setenv(name, environment[name])
    printed = run_node(str(compiled(file) / "built" / f"{file.stem}.js"))
    assert printed == shown if shown else printed.startswith("HL")
