"""Invisible characters are removed from all input."""

import json
import re
import unicodedata

from pydantic import BaseModel

from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.hidden_characters import (
    HIDDEN_CHARACTERS,
    remove_hidden,
    remove_hidden_from_json,
    remove_hidden_from_utf8,
)

HIDDEN = re.findall(f"[{HIDDEN_CHARACTERS}]", "".join(map(chr, range(0x80, 0xE0200))))
"""All hidden characters."""
VISIBLE = "José 王 👩‍👩‍👧 ☎️ می‌خواهم क्‍ष नमस्ते"


class Part(BaseModel):
    words: str


class Letter(Request):
    raw_text_fields = frozenset({"signed"})

    note: str = ""
    parts: list[Part] = []
    signed: str = ""


def test_hidden_characters_are_invisible_formatting_without_joiners() -> None:
    unseen = {chr(code) for code in range(0x80, 0xE0200) if unicodedata.category(chr(code)) == "Cf"}
    drawn = {character for character in unseen if 0x600 <= ord(character) <= 0x8FF} - {"\u061c"}
    of_scripts = {character for character in unseen if 0x10000 <= ord(character) < 0xE0000}
    assert unseen - drawn - of_scripts - set(HIDDEN) == {"\u200c", "\u200d"}


def test_each_hidden_character_is_removed_kept_or_escaped() -> None:
    for character in HIDDEN:
        text = f"a{character}b"
        for body in (json.dumps({"note": text}), json.dumps({"note": text}, ensure_ascii=False)):
            assert json.loads(remove_hidden_from_json(body.encode()))["note"] == "ab", hex(ord(character))
        assert remove_hidden_from_utf8(text.encode()) == b"ab"


def test_characters_needed_by_scripts_are_kept() -> None:
    body = json.dumps({"note": VISIBLE}, ensure_ascii=False).encode()
    assert remove_hidden(VISIBLE) == VISIBLE
    assert (remove_hidden_from_json(body), remove_hidden_from_utf8(body)) == (body, body)


def test_a_request_contains_no_hidden_characters_at_any_depth() -> None:
    body = json.dumps({"note": "pay\u202eyap", "parts": [{"words": "\u200bhold"}]}).encode()
    request = codec.parse_request(Letter, body, {})
    assert isinstance(request, Letter)
    assert (request.note, request.parts[0].words) == ("payyap", "hold")


def test_path_and_query_values_contain_no_hidden_characters() -> None:
    request = codec.parse_request(Letter, b"", {"note": "a\u2066b\ufeff"})
    assert isinstance(request, Letter)
    assert request.note == "ab"


def test_a_signed_field_is_kept_unchanged() -> None:
    request = codec.parse_request(Letter, json.dumps({"signed": "a\u200bb", "note": "a\u200bb"}).encode(), {})
    assert isinstance(request, Letter)
    assert (request.signed, request.note) == ("a\u200bb", "ab")
