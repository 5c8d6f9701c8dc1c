"""The design system: sufficient contrast in both modes, and content policy."""

import re
from pathlib import Path

import pytest
from tests.support.every_case import for_every

from haulier.web.i18n import text_direction

WEB = Path(__file__).resolve().parents[2] / "src" / "haulier" / "web"
CSS = (WEB / "static" / "app.css").read_text()
TEMPLATES = sorted((WEB / "templates").glob("*.html"))
STYLES = sorted((WEB / "static").glob("*.css"))
MODES = ("light", "dark")
GROUNDS = ("paper", "sheet", "sunk")
TEXT = [
    *((ink, ground) for ink in ("ink", "soft", "brand", "brand-strong", "good", "bad") for ground in GROUNDS),
    *((mood, f"{mood}-wash") for mood in ("good", "warn", "bad", "info")),
    *((ink, "brand-wash") for ink in ("ink", "soft")),
    ("on-brand", "brand"),
    ("on-brand", "brand-strong"),
    ("bad", "bad-wash"),
    ("paper", "ink"),
]
"""Colours of text on their grounds: 4.5 to 1 (WCAG 2.2, 1.4.3)."""
SIGNS = [(sign, ground) for sign in ("edge", "focus", "brand") for ground in GROUNDS]
"""Borders of fields, focus rings and marks: 3 to 1 (WCAG 2.2, 1.4.11)."""


def tokens(mode: str) -> dict[str, str]:
    light, _, dark = CSS.partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    return found if mode == "light" else {**found, **dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark))}


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2, definition)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_the_contrast_formula_follows_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_has_sufficient_contrast(mode: str, ink: str, ground: str) -> None:
    colours = tokens(mode)
    assert contrast(colours[ink], colours[ground]) >= 4.5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("sign", "ground"), SIGNS)
def test_borders_and_focus_rings_have_sufficient_contrast(mode: str, sign: str, ground: str) -> None:
    colours = tokens(mode)
    assert contrast(colours[sign], colours[ground]) >= 3


def test_dark_mode_defines_every_colour_of_light_mode() -> None:
    dark = CSS.partition("@media (prefers-color-scheme: dark)")[2]
    assert tokens("light").keys() == dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark)).keys()


@for_every("style", STYLES)
def test_colours_are_always_tokens(style: Path) -> None:
    rules = re.sub(r"--[\w-]+:[^;]*;", "", style.read_text())
    assert re.findall(r"#[0-9a-f]{3,8}\b(?![\w-]*\s*[,{.:\[>+~])", rules) == []


@for_every("style", STYLES)
def test_every_used_token_exists(style: Path) -> None:
    declared = set(re.findall(r"(--[\w-]+):", CSS + style.read_text()))
    assert set(re.findall(r"var\((--[\w-]+)", style.read_text())) - declared == set()


def test_styles_use_logical_directions() -> None:
    beside = r"(?:margin-|padding-|border-|text-align:\s*)?(?:left|right)(?:-[a-z]+)?\s*[:;]"
    sides = rf"(?:^|[\s;{{])({beside}|float\s*:)"
    assert [(style.name, said) for style in STYLES for said in re.findall(sides, style.read_text())] == []


def test_pages_declare_their_text_direction() -> None:
    assert [text_direction(each) for each in ("de", "zh-Hant", "ar", "he")] == ["ltr", "ltr", "rtl", "rtl"]


@for_every("template", TEMPLATES)
def test_pages_have_no_inline_styles_or_scripts(template: Path) -> None:
    html = re.sub(r"\{\{.*?\}\}", "", template.read_text())  # arguments such as on_hand=
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", html) == []
    inline = re.findall(r"<script(?![^>]*\bsrc=)([^>]*)>", html)
    assert [each for each in inline if 'type="application/json"' not in each] == []


@for_every("template", TEMPLATES)
def test_pages_load_nothing_from_other_hosts(template: Path) -> None:
    assert re.findall(r'(?:src|href)="https?:', template.read_text()) == []


@for_every("style", STYLES)
def test_typography_uses_two_weights(style: Path) -> None:
    told = re.findall(r"font-weight:\s*(\w+)|font:\s*(\d00)\b", style.read_text())
    assert {one or other for one, other in told} <= {"400", "600", "inherit"}
