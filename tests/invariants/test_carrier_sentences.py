"""Own sentences about carriers come from the catalogues, in every language.

Only a carrier's own words are a text of a `CarrierMessage`; a literal there would reach every reader in English.
"""

import ast
import re
from pathlib import Path

import haulier
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues

ROOT = Path(haulier.__file__).parent
FILES = [*(ROOT / "adapters" / "carriers").rglob("*.py"), *(ROOT / "contexts" / "shipping").rglob("*.py")]
TEXT_ARGUMENT = {"CarrierMessage": 0, "CarrierRefused": 0, "CredentialsRefused": 0, "Remark": None}
WORD = re.compile(r"[A-Za-z]{2,}")


def _literals(node: ast.AST, names: dict[str, list[ast.expr]]) -> list[str]:
    """Return the texts with words in an expression, including those bound to a name."""
    found = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    if isinstance(node, ast.Name):
        found += [text for value in names.get(node.id, ()) for text in _literals(value, {})]
    return [text for text in found if WORD.search(text)]


def _bound(tree: ast.AST) -> dict[str, list[ast.expr]]:
    names: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.JoinedStr):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    names.setdefault(target.id, []).append(node.value)
    return names


def _text_of(call: ast.Call) -> ast.expr | None:
    place = TEXT_ARGUMENT.get(getattr(call.func, "id", ""), -1)
    if place == -1:
        return None
    named = next((word.value for word in call.keywords if word.arg == "text"), None)
    return named or (call.args[0] if place is not None and call.args else None)


def list_literal_sentences(source: str) -> list[str]:
    """Return the literal texts that a module gives to carrier messages and errors."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [
        (text, _bound(tree))
        for call in calls
        if (text := _text_of(call)) and not isinstance(text, ast.Tuple | ast.Call)
    ]
    return [literal for text, names in given for literal in _literals(text, names)]


def test_no_carrier_text_is_a_literal() -> None:
    found = {path.relative_to(ROOT).as_posix(): list_literal_sentences(path.read_text()) for path in FILES}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_the_check_detects_literals_directly_and_behind_names() -> None:
    assert list_literal_sentences('CarrierMessage("No service.", "x")') == ["No service."]
    assert list_literal_sentences('text = f"{name} is away"\nCarrierMessage(text)') == [" is away"]
    assert list_literal_sentences("CarrierMessage(said.message, 'code')") == []


def test_every_sentence_about_carriers_is_in_six_languages() -> None:
    ids = {text for path in FILES for text in re.findall(r'"(carrier\.[a-z_]+)"', path.read_text())}
    assert len(ids) > 20
    catalogues = Catalogues()
    missing = [
        (language, id) for language in SUPPORTED_LANGUAGES for id in ids if catalogues.translate(language, id) == id
    ]
    assert missing == []
