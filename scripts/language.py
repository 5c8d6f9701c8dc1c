"""Language check: plain professional English in all texts, comments and commit subjects.

`python -m scripts.language [PATH…]` prints the findings and fails if there are any.
`python -m scripts.language sample --kind messages` prints random texts to review; see `scripts/language_sample.py`.
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

from scripts.language_sample import print_sample

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
    r"(?! number)|house rule|ours|theirs|somebody|anybody|nobody|hands? out|handed out|taken for|in the order of their|is to be"
    r"|are to be|not so much|once more|go on|goes on|doorstep|thereof|any more|as it stands|stands there|gives back"
    r"|given back|stock advices?|takes back|written down|is had|be had)\b",
    re.IGNORECASE,
)
"""Words and phrases that plain English does not need; `docs/contributing/language.md` has what to write instead."""
STRAIGHT = re.compile(r"[A-Za-z]'[a-z]")
OFFICE = re.compile(r"\bthe office\b", re.IGNORECASE)
LOWER_ID = re.compile(r"(?<![\w./{<$&?=…-])(?:id|ids|Id|Ids)\b(?![\w/}>=-]|[.:]\w)")
COMMENT = re.compile(r"(?:^ *|  )# (.+)")
SCRIPT_COMMENT = re.compile(r"(?:^|\s)// (.+)|/\*\s*(.+?)\s*(?:\*/|$)")
TEMPLATE_COMMENT = re.compile(r"\{#(.*?)#\}|<!--(.*?)-->", re.DOTALL)
TEMPLATE_CODE = re.compile(r"\{#.*?#\}|<!--.*?-->|\{%.*?%\}|\{\{.*?\}\}|<(script|style)\b.*?</\1>", re.DOTALL)
TEMPLATE_TEXT = re.compile(r'(?:title|aria-label|placeholder|alt)="([^"{}]+)"|>([^<>]+)(?=<)')
SENTENCE = re.compile(r"[A-Za-z ,;.][a-z’'` ]")
QUOTED = re.compile(r"`[^`]*`")
CODE = re.compile(r"\\b|=>|\(\?")
"""Regular expressions and scripts in strings, which are not read."""
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
    if arguments[:1] == ["sample"]:
        return print_sample(arguments[1:])
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
    found = list(CHECKS[path.suffix](text))
    if path.suffix == ".po" and path.stem != "field_hints":
        found += _check_apostrophes(text)
    if path.suffix == ".py" and not name.startswith("tests/"):
        found += _check_strings(text)
    for line, sentence, reason in found:
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


def _check_strings(text: str) -> Found:
    """The strings of at least three words, such as descriptions, messages and titles."""
    tree = ast.parse(text)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            said = QUOTED.sub("", node.value)
            if said.count(" ") >= 2 and SENTENCE.match(said) and not CODE.search(said):
                yield from ((node.lineno, said, reason) for reason in reasons_of(said))


def _check_template(text: str) -> Found:
    """The comments, texts and labels of a page."""
    for match in TEMPLATE_COMMENT.finditer(text):
        yield from _reasons_at(text, match.start(), match[1] or match[2] or "")
    plain = TEMPLATE_CODE.sub(lambda match: "\n" * match[0].count("\n") or " ", text)
    for match in TEMPLATE_TEXT.finditer(plain):
        yield from _reasons_at(plain, match.start(), match[1] or match[2])


def _reasons_at(text: str, start: int, said: str) -> Found:
    line = text.count("\n", 0, start) + 1
    yield from ((line, said, reason) for reason in reasons_of(said.strip()))


def _check_script(text: str) -> Found:
    """The comments of scripts and styles."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := SCRIPT_COMMENT.search(line):
            comment = found[1] or found[2]
            yield from ((number, comment, reason) for reason in reasons_of(comment))


def _check_settings(text: str) -> Found:
    """The comments of TOML files."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := COMMENT.search(line):
            yield from ((number, found[1], reason) for reason in reasons_of(found[1]))


def _check_catalogue(text: str) -> Found:
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("msgstr", '"')) and not line.startswith('msgstr ""'):
            yield from ((number, line, reason) for reason in reasons_of(line.partition('"')[2].rstrip('"')))
            if LOWER_ID.search(QUOTED.sub("", line)):
                yield number, line, "write “ID”"


def _check_apostrophes(text: str) -> Found:
    """The straight apostrophes of messages; field hints have those of the source."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("msgstr", '"')) and STRAIGHT.search(line):
            yield number, line, "write ’ for an apostrophe"


def _check_document(text: str) -> Found:
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside ^= line.lstrip().startswith("```")
        if not inside and not line.startswith("    "):
            plain = QUOTED.sub("", line).lstrip("#>|-* ")
            yield from ((number, plain, reason) for reason in reasons_of(plain))
            if LOWER_ID.search(plain):
                yield number, plain, "write “ID”"
            if OFFICE.search(plain):
                yield number, plain, "write “staff” or “admins” for the office"


CHECKS = {
    ".py": _check_python,
    ".po": _check_catalogue,
    ".md": _check_document,
    ".html": _check_template,
    ".js": _check_script,
    ".mjs": _check_script,
    ".css": _check_script,
    ".toml": _check_settings,
}
"""Check of a file by its suffix."""


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
    foreign = "/vendor/" in name or "node_modules/" in name
    return Path(name).suffix in CHECKS and not generated and not foreign and name != "scripts/language.py"


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
