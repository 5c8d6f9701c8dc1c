"""Language check: plain professional English in catalogues, docs, docstrings, comments and commit subjects.

`python -m scripts.language [PATH…]` prints the findings and fails if there are any.
The rules are in `docs/contributing/language.md`.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SUMMARY_WORDS = 8
FIRST_LINE = 80
SUBJECT = 72
AREA = re.compile(r"[a-z0-9][a-z0-9_,./ -]*: \S|Merge |Revert ")
OPENING = re.compile(
    r"^(What|Whoever|Whatever|Whichever|Those (that|who|which|of)|Whether|Which|Who|Whom|Whose|Nobody|Somebody|Such|So many"
    r"|How (?!to |Haulier |route planning |agents |packing plans )|Of (which|what|these|those)|As (many|much)|So (many|much)"
    r"|That (which|it|a|an|the)) "
)
"""A sentence that begins with a clause instead of the name of the thing."""
BANNED = re.compile(
    r"\b(anew|in vain|aside|whoever|whomever|thereby|of which|so many|fate|tells|told|lets go of|rehears\w+|the house"
    r"|house rule|ours|theirs|somebody|anybody|nobody|hands? out|handed out|taken for|in the order of their|is to be"
    r"|are to be|not so much|once more|go on|goes on|doorstep|thereof|any more|as it stands|stands there|gives back"
    r"|given back|takes back|written down|is had|be had)\b",
    re.IGNORECASE,
)
"""Words and phrases that plain English does not need; `docs/contributing/language.md` has what to write instead."""
COMMENT = re.compile(r"(?:^ *|  )# (.+)")
ROOTS = ("bench", "docs", "examples", "scripts", "src", "tests")
HEADED = ("reads", "writes")
"""Decorators of operations, whose docstrings are the summaries of the API."""


class Finding(NamedTuple):
    """A place where the language check objects."""

    path: str
    line: int
    text: str
    reason: str


def main(arguments: list[str]) -> int:
    """Run the check on the given paths, or on the project; returns the exit code."""
    files = [path for name in arguments or ["."] for path in _files(ROOT / name)]
    found = [finding for path in files for finding in check_file(path)]
    for each in found:
        print(f"{each.path}:{each.line}: {each.reason}: {each.text}")
    subjects = [] if arguments else list(check_subjects(_new_subjects()))
    for subject in subjects:
        print(subject)
    print(f"{len(found) + len(subjects)} findings")
    return 1 if found or subjects else 0


def check_file(path: Path) -> Iterator[Finding]:
    """Yield the findings of one file."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    check = {".py": _check_python, ".po": _check_catalogue, ".md": _check_document}[path.suffix]
    for line, sentence, reason in check(text):
        yield Finding(name, line, sentence.strip()[:110], reason)


def reasons_of(text: str) -> Iterator[str]:
    """Yield what is wrong with a text, whatever kind of text it is."""
    if OPENING.match(text) and not text.rstrip().endswith("?"):
        yield "opens with a clause"
    for match in BANNED.finditer(text):
        yield f"avoid “{match[0]}”"


Found = Iterator[tuple[int, str, str]]


def _check_python(text: str) -> Found:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _check_docstring(node)
            yield from _check_field_texts(node)
    for number, line in enumerate(text.splitlines(), 1):
        if found := COMMENT.search(line):
            comment = found[1]
            if comment.startswith("Why"):
                yield number, comment, "state the reason without “Why”"
            yield from ((number, comment, reason) for reason in reasons_of(comment))


def _check_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Found:
    said = ast.get_docstring(node)
    if not said:
        return
    line = getattr(node, "lineno", 1)
    first = said.partition("\n")[0]
    yield from ((line, first, reason) for reason in reasons_of(said))
    if len(first) > FIRST_LINE:
        yield line, first, f"first line longer than {FIRST_LINE}"
    if _is_operation(node) and len(re.split(r"[.:;] ", first)[0].split()) > SUMMARY_WORDS:
        yield line, first, f"summary longer than {SUMMARY_WORDS} words"


def _is_operation(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(isinstance(each, ast.Call) and getattr(each.func, "id", "") in HEADED for each in decorators)


def _check_field_texts(node: ast.AST) -> Found:
    """The strings below fields and constants."""
    body = getattr(node, "body", [])
    for before, each in pairwise(body):
        if isinstance(before, ast.AnnAssign | ast.Assign) and isinstance(each, ast.Expr):
            value = getattr(each.value, "value", None)
            if isinstance(value, str):
                yield from ((each.lineno, value, reason) for reason in reasons_of(value))


def _check_catalogue(text: str) -> Found:
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("msgstr", '"')) and not line.startswith('msgstr ""'):
            yield from ((number, line, reason) for reason in reasons_of(line.partition('"')[2].rstrip('"')))


def _check_document(text: str) -> Found:
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside ^= line.lstrip().startswith("```")
        if not inside and not line.startswith("    "):
            plain = re.sub(r"`[^`]*`", "", line).lstrip("#>|-* ")
            yield from ((number, plain, reason) for reason in reasons_of(plain))


def _files(top: Path) -> list[Path]:
    if top.is_file():
        return [top]
    tops = [*ROOT.glob("*.md"), *(ROOT / name for name in ROOTS)] if top == ROOT else [top]
    paths = sorted(path for each in tops for path in ([each] if each.is_file() else each.rglob("*.*")))
    return [path for path in paths if _is_read(path.relative_to(ROOT).as_posix())]


def _is_read(name: str) -> bool:
    if name.endswith(".po"):
        return "/locales/en/" in name
    generated = name.startswith(
        ("docs/reference/", "docs/contributing/glossary", "src/haulier/migrations/", "published/")
    )
    return name.endswith((".py", ".md")) and not generated and name != "scripts/language.py"


def check_subjects(subjects: Iterable[str]) -> Iterator[str]:
    """Yield an objection to each subject that is too long or names no area."""
    for subject in subjects:
        if len(subject) > SUBJECT:
            yield f"commit subject longer than {SUBJECT}: {subject}"
        if not AREA.match(subject):
            yield f"commit subject without an area, such as “billing: …”: {subject}"


def _new_subjects() -> list[str]:
    """Return the subjects since the merge base with main, or of the newest commit on main itself."""
    base = _git("merge-base", "HEAD", "main") or _git("describe", "--tags", "--abbrev=0")
    since = [f"{base[0]}..HEAD"] if base and base != _git("rev-parse", "HEAD") else ["-1"]
    return _git("log", *since, "--no-merges", "--format=%s")


def _git(*arguments: str) -> list[str]:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.splitlines() if run.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
