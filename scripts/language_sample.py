"""Random texts of the project, for readers who review its English."""

import ast
import random
import re
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CATALOGUES = "src/haulier/locales/en"
NOT_MESSAGES = {"operations", "field_hints", "field_labels", "choices", "records", "fields", "kinds"}
"""Catalogues of names, labels and hints."""
DESCRIBED = {"doc": 0, "price": 1, "price_by": 1, "for_agents": 1}
"""Functions that describe a field of an answer, with the position of the text."""
HEADED = {"reads", "writes"}
Text = tuple[str, int, str]
"""A text with its file and line."""


def print_sample(arguments: list[str]) -> int:
    """Print random texts of a kind with their places; returns the exit code."""
    parser = ArgumentParser(prog="python -m scripts.language sample", description="Print random texts to review.")
    parser.add_argument("--kind", choices=sorted(KINDS), required=True)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    found = sorted(set(KINDS[options.kind]()))
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    for path, line, text in sorted(chosen):
        print(f"{path}:{line}: {' '.join(text.split())}")
    print(f"{len(chosen)} of {len(found)} {options.kind}")
    return 0


def list_messages() -> Iterator[Text]:
    """Yield the texts of errors, pages, emails and SMS."""
    for path in sorted((ROOT / CATALOGUES).glob("*.po")):
        if path.stem not in NOT_MESSAGES:
            yield from _translated(path)


def _translated(path: Path) -> Iterator[Text]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.fullmatch(r'msgstr(?:\[\d\])? "(.+)"', line):
            yield path.relative_to(ROOT).as_posix(), number, match[1]


def list_summaries() -> Iterator[Text]:
    """Yield the docstrings of operations."""
    for path, tree in _trees("src"):
        for node in ast.walk(tree):
            if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and _is_operation(node):
                yield path, node.lineno, ast.get_docstring(node) or ""


def _is_operation(node: ast.AsyncFunctionDef | ast.FunctionDef) -> bool:
    called = [each.func for each in node.decorator_list if isinstance(each, ast.Call)]
    return any(isinstance(each, ast.Name) and each.id in HEADED for each in called)


def list_hints() -> Iterator[Text]:
    """Yield the descriptions of fields in requests and answers."""
    yield from _translated(ROOT / CATALOGUES / "field_hints.po")
    for path, tree in _trees("src"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DESCRIBED:
                texts = node.args[DESCRIBED[node.func.id] :][:1]
                said = [each.value for each in texts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
                yield from ((path, node.lineno, text) for text in said)


def list_docstrings() -> Iterator[Text]:
    """Yield the docstrings of modules, classes and functions."""
    for path, tree in _trees("src", "scripts", "bench"):
        for node in ast.walk(tree):
            documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            if documented and (said := ast.get_docstring(node)):
                yield path, getattr(node, "lineno", 1), said


def list_paragraphs() -> Iterator[Text]:
    """Yield the paragraphs, list items and table rows of the documentation."""
    for path in [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]:
        name, inside, start, block = path.relative_to(ROOT).as_posix(), False, 0, list[str]()
        if name.startswith("docs/reference/operations/"):
            continue
        for number, line in enumerate([*path.read_text().splitlines(), ""], 1):
            inside ^= line.lstrip().startswith("```")
            if inside or not line.strip() or line.lstrip().startswith(("|", "- ", "#", "```")):
                if len(" ".join(block).split()) > 3:
                    yield name, start, " ".join(block)
                block = []
            if not inside and line.strip() and not line.startswith(("```", "|--", "|:-")):
                start, block = (start if block else number), [*block, line]


def list_test_names() -> Iterator[Text]:
    """Yield the names of tests."""
    for path, tree in _trees("tests"):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                yield path, node.lineno, node.name


def _trees(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


KINDS: dict[str, Callable[[], Iterator[Text]]] = {
    "messages": list_messages,
    "summaries": list_summaries,
    "hints": list_hints,
    "docstrings": list_docstrings,
    "docs": list_paragraphs,
    "test-names": list_test_names,
}
