"""Files and functions named in documents exist."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.docs.blocks import ROOT

SOURCE = ROOT / "src/haulier"
A_CALL = ROOT / "docs/contributing/a-call.md"
GLOSSARY = ROOT / "docs/contributing/glossary.md"
MOST_WORDS = 40
EXAMPLES = {"contexts/orders/delivery_orders/operations/storm.py"}
"""Files that ARCHITECTURE.md writes itself."""
SUFFIXES = r"\.(?:py|md|toml|po|txt|yaml|csv)"
FIRST_FOLDERS = {path.name for root in (ROOT, SOURCE) for path in root.iterdir() if path.is_dir()}
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if "reference" not in path.parts),
]


@cache
def defined_names(file: Path) -> set[str]:
    """Return functions, classes, methods and imported names of a file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.name for alias in node.names}
    return names


def named_files(text: str) -> list[tuple[str, str]]:
    """Every `file` and `file::name` of a text."""
    return re.findall(rf"`([\w./-]+{SUFFIXES})(?:::(\w+))?`", text)


def find_file(name: str, before: Path | None = None) -> Path | None:
    """Find a file by its path, or a short path relative to a previously named file."""
    for path in (ROOT / name, SOURCE / name):
        if path.is_file():
            return path
    if before is None:
        return None
    return next((folder / name for folder in before.parents if (folder / name).is_file()), None)


def faults_of(document: Path) -> list[str]:
    """The files and functions that a document names and that are not there."""
    faults, before = list[str](), None
    for name, function in named_files(document.read_text()):
        file = find_file(name, before)
        if file is None:
            faults.append(name)
        elif function and function not in defined_names(file):
            faults.append(f"{name}::{function}")
        before = file or before
    return faults


def test_the_described_call_names_existing_files_and_functions() -> None:
    assert len(named_files(A_CALL.read_text())) > 30
    assert faults_of(A_CALL) == []


def test_the_glossary_is_short_and_locates_each_term() -> None:
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+?) \| (.+?) \|$", GLOSSARY.read_text(), re.MULTILINE)
    assert 30 <= len(rows) <= MOST_WORDS
    assert [word for word, _, where in rows if not re.search(r"`[\w./]+`", where)] == []
    places = [place for _, _, where in rows for place in re.findall(r"`([\w./]+)`", where)]
    assert [place for place in places if not (SOURCE / place).exists()] == []
    assert [word for word, meaning, _ in rows if meaning.count(". ") > 0] == []


def test_every_file_named_in_the_documentation_exists() -> None:
    faults: list[str] = []
    for document in DOCUMENTS:
        prose = re.sub(r"^```.*?^```|^New file .*$", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
        for name, _ in named_files(prose):
            if name.partition("/")[0] in FIRST_FOLDERS and "/" in name and name not in EXAMPLES and not find_file(name):
                faults.append(f"{document.relative_to(ROOT)}: {name}")
    assert faults == []


def test_every_decision_page_named_in_the_code_exists() -> None:
    pages = {path.name for path in (ROOT / "docs/decisions").glob("*.md")}
    assert [name for name in pages if name[0].isdigit()] == []
    code = [path for top in ("src", "tests", "scripts") for path in (ROOT / top).rglob("*.py")]
    named = {page for path in code for page in re.findall(r"docs/decisions/([\w-]+\.md)", path.read_text())}
    assert len(named) > 10
    assert sorted(named - pages) == []


def test_every_decision_page_is_in_the_index() -> None:
    index = (ROOT / "docs/decisions/README.md").read_text()
    pages = {path.name for path in (ROOT / "docs/decisions").glob("*.md")} - {"README.md"}
    assert sorted(page for page in pages if f"]({page})" not in index) == []
