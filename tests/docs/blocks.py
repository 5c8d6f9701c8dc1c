"""Code blocks of a document, and the shell session that runs them in order."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from markdown_it import MarkdownIt
from msgspec import Struct

ROOT = Path(__file__).resolve().parents[2]
SHELL = "sh"
HERE = "http://127.0.0.1:8000"
MARK = "@@ the end of block"
PATIENCE_S = 180
BEFORE = """
set -euo pipefail
leave() { jobs -p | xargs -r kill 2>/dev/null || true; wait; }
trap leave EXIT
"""


class Block(Struct, frozen=True):
    """A fenced block: language, text and line, and for shell blocks the shown output."""

    language: str
    text: str
    line: int
    shown: "Block | None" = None


def blocks(document: str) -> list[Block]:
    """Return the blocks of a document.

    A block without a language, or of JSON, directly after a shell block is its output.
    """
    tokens = MarkdownIt().parse((ROOT / document).read_text())
    found: list[Block] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type != "fence":
            continue
        block = Block(token.info.strip(), token.content, (token.map or [0])[0] + 1)
        if before and before.type == "fence" and before.info == SHELL and block.language in {"", "json"}:
            asked = found.pop()
            block = Block(asked.language, asked.text, asked.line, shown=block)
        found.append(block)
    return found


def run(
    steps: list[Block], folder: Path, base: str, environment: Mapping[str, str], changes: Mapping[str, str]
) -> list[str]:
    """Run shell blocks in one session and return their output; failures raise.

    `base` stands in for the address in the documents, and `changes` are patterns of other things that differ here.
    """
    script = BEFORE
    for step in steps:
        script += f"{_changed(step.text, {re.escape(HERE): base, **changes})}\necho '{MARK}'\n"
    commands = _commands(folder)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HAULIER_")}
    path = f"{commands}:{environment.get('PATH', '')}:{os.environ['PATH']}"
    with subprocess.Popen(
        ["bash", "-c", script],
        cwd=folder,
        env={**clean, **environment, "PATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as shell:
        try:
            printed, complaints = shell.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            printed, complaints = shell.communicate()
    outputs = printed.split(f"{MARK}\n")
    assert shell.returncode == 0, f"after {outputs[-2:]}:\n{complaints[-3000:]}\n{_logs(folder)}"
    return outputs[:-1]


def _logs(folder: Path) -> str:
    return "\n".join(path.read_text()[-2000:] for path in folder.rglob("*log"))


def _changed(text: str, changes: Mapping[str, str]) -> str:
    for pattern, instead in changes.items():
        text = re.sub(pattern, instead, text)
    return text


def _commands(folder: Path) -> Path:
    """Return a folder with the commands of the test environment, whatever its name."""
    commands = folder / "commands"
    commands.mkdir(exist_ok=True)
    for name, words in {"haulier": f"{sys.executable} -m haulier", "python": sys.executable}.items():
        (commands / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (commands / name).chmod(0o755)
    return commands
