"""The security review names an existing test for each of the ten risks."""

import ast
import re
from pathlib import Path

from tests.support.every_case import for_every

ROOT = Path(__file__).resolve().parents[2]
WALK = (ROOT / "docs/operate/security.md").read_text()
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", WALK)


@for_every("file,test", NAMED)
def test_a_named_test_exists(file: str, test: str) -> None:
    tree = ast.parse((ROOT / file).read_text())
    found = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    assert test in found


def test_each_of_the_ten_owasp_risks_has_a_test() -> None:
    parts = re.split(r"^## (?=\d+\.)", WALK, flags=re.MULTILINE)[1:]
    assert [part.split(".")[0] for part in parts] == [str(n) for n in range(1, 11)]
    assert [part.splitlines()[0] for part in parts if "::test_" not in part] == []
