"""Execution of a contributor guide in a copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from msgspec import Struct
from tests.docs.blocks import ROOT, SHELL

COPIED = ("src/haulier", "tests", "published", "docs/reference")
LEFT_OUT = shutil.ignore_patterns("*.png", "var")
PATIENCE_S = 300
NEW, APPEND, CHANGE, RUN = "New", "Append", "Change", "Run"


class Step(Struct, frozen=True):
    """One block of a guide: kind, file or pattern, text and output."""

    kind: str
    path: str
    text: str
    shown: str | None = None


def guide_steps(guide: Path) -> Iterator[Step]:
    """Return the steps of a guide; the paragraph before a block names kind and file."""
    tokens = MarkdownIt().parse(guide.read_text())
    paragraph = ""
    for index, token in enumerate(tokens):
        if token.type == "inline":
            paragraph = token.content
        if token.type != "fence" or not token.info:
            continue
        if token.info == SHELL:
            after = tokens[index + 1] if index + 1 < len(tokens) else None
            shown = after.content if after and after.type == "fence" and not after.info else None
            yield Step(RUN, "", token.content, shown)
            continue
        kind = paragraph.split()[0]
        path = re.search(r"`([^`]+)`", paragraph)
        assert path, f"{guide.name}: nothing says what this block is about: {token.content}"
        assert kind in {NEW, APPEND, CHANGE}, f"{guide.name}: {paragraph}"
        assert (kind == CHANGE) == (token.info == "diff"), f"{guide.name}: {paragraph}"
        yield Step(kind, path.group(1), token.content)


def copy_of_the_checkout(folder: Path) -> Path:
    """Copy the parts of the checkout that guides need, with byte code to save seconds."""
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=LEFT_OUT)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def follow(step: Step, checkout: Path) -> list[Path]:
    """Do what a step about files asks for. Returns the files that it wrote."""
    if step.kind == NEW:
        file = checkout / step.path
        assert not file.exists(), f"{step.path} is there already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(step.text)
        return [file]
    files = sorted(checkout.glob(step.path))
    assert files, f"there is no {step.path}"
    for file in files:
        text = file.read_text()
        if step.kind == APPEND:
            gap = "\n\n" if file.suffix == ".py" else ""
            file.write_text(f"{text.rstrip()}\n\n{gap}{step.text}")
        else:
            file.write_text(applied(text, step))
    return files


def applied(text: str, step: Step) -> str:
    """Apply a small diff, separated by `@@` lines; each hunk must occur exactly once."""
    for hunk in re.split(r"^@@.*\n", step.text, flags=re.MULTILINE):
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] or "\n" for line in lines if not line.startswith("+"))
        after = "".join(line[1:] or "\n" for line in lines if not line.startswith("-"))
        assert text.count(before) == 1, f"stands {text.count(before)} times in {step.path}:\n{before}"
        text = text.replace(before, after)
    return text


def run_commands(script: str, checkout: Path) -> str:
    """Return the output of commands; a failing command fails."""
    commands = checkout / "commands"
    commands.mkdir(exist_ok=True)
    for name, words in {"haulier": f"{sys.executable} -m haulier", "python": sys.executable}.items():
        (commands / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (commands / name).chmod(0o755)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("HAULIER_", "PYTEST_"))}
    ran = subprocess.run(
        ["bash", "-euc", script],
        cwd=checkout,
        env={
            **clean,
            "DB": "sqlite",
            "PATH": f"{commands}:{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join((str(checkout / "src"), str(checkout))),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.returncode == 0, f"{script}\n{ran.stdout[-6000:]}\n{ran.stderr[-3000:]}"
    return ran.stdout
