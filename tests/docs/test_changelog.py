"""The changelog stays short: one line per change."""

from tests.docs.blocks import ROOT

LINES_OF_A_VERSION, CHARACTERS_OF_A_CHANGE = 60, 140
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSIONS = {part.partition("\n")[0]: part.splitlines() for part in TEXT.split("\n## ")[1:]}


def test_a_released_version_has_at_most_sixty_lines() -> None:
    assert VERSIONS, "sections by version"
    assert {name: len(lines) for name, lines in VERSIONS.items() if len(lines) > LINES_OF_A_VERSION} == {}


def test_a_change_is_one_short_line() -> None:
    long = [line for lines in VERSIONS.values() for line in lines if len(line) > CHARACTERS_OF_A_CHANGE]
    assert long == []
    assert all(line.startswith(("- ", "### ")) for lines in VERSIONS.values() for line in lines[1:] if line)
