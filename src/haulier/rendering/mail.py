"""HTML part of emails, made of the same paragraphs as the plain text part."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.kernel.values.colours import DARK_GROUNDS, LIGHT_GROUNDS, on_colour, readable_on

if TYPE_CHECKING:
    from jinja2 import Environment

DEFAULT_COLOUR = "#0b5d51"
_TEMPLATES = Path(__file__).parent / "mail_templates"
_ADDRESS = re.compile(r"https?://\S+")
_LABELLED_ADDRESS = re.compile(r"(?P<label>[^\n]{2,80}?)\s?[:：]\s*(?P<address>https?://\S+)")
_CODE = re.compile(r"(?P<label>[^\n:：]{2,40}?)\s?[:：]\s*(?P<code>[A-Z0-9][A-Z0-9 -]{2,18}[A-Z0-9])")


class MailBrand(Struct, frozen=True, kw_only=True):
    """Sender of an email. Contacts are texts with their addresses."""

    name: str
    colour: str = DEFAULT_COLOUR
    contacts: Sequence[tuple[str, str]] = ()


class MailBlock(Struct, frozen=True):
    """A part of an email: `paragraph`, `button`, `code` or `facts`."""

    kind: str
    lines: Sequence[str] = ()
    label: str = ""
    address: str = ""
    facts: Sequence[tuple[str, str]] = ()


def with_facts(text: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return a text with names and values before the sentence of its link."""
    if not facts:
        return text
    lines = "\n".join(f"{name}: {value}" for name, value in facts)
    paragraphs = text.split("\n\n")
    at = next((at for at, each in enumerate(paragraphs) if _ADDRESS.fullmatch(each.strip())), len(paragraphs))
    if at and paragraphs[at - 1].rstrip().endswith((":", "：")):
        at -= 1
    return "\n\n".join([*paragraphs[:at], lines, *paragraphs[at:]])


def blocks_of(
    text: str, *, action: str = "", facts: Sequence[tuple[str, str]] = (), sender: str = ""
) -> list[MailBlock]:
    """Return the parts of a plain text email.

    The signature is left out, because the footer has it.
    """
    facts_text = "\n".join(f"{name}: {value}" for name, value in facts)
    blocks: list[MailBlock] = []
    for paragraph in (each.strip() for each in re.split(r"\n{2,}", text)):
        if not paragraph or paragraph == sender:
            continue
        if facts and paragraph == facts_text:
            blocks.append(MailBlock("facts", facts=facts))
        elif _ADDRESS.fullmatch(paragraph):
            blocks.append(MailBlock("button", label=action or paragraph, address=paragraph))
        elif code := _CODE.fullmatch(paragraph):
            blocks.append(MailBlock("code", label=code["label"], lines=[code["code"]]))
        else:
            blocks += _lines_of(paragraph.split("\n"))
    return blocks


def _lines_of(lines: Sequence[str]) -> list[MailBlock]:
    """Return lines as one paragraph, and a labelled address in them as a button."""
    blocks: list[MailBlock] = []
    kept: list[str] = []
    for line in lines:
        linked = _LABELLED_ADDRESS.fullmatch(line)
        if not linked:
            kept.append(line)
            continue
        if kept:
            blocks.append(MailBlock("paragraph", lines=kept))
        blocks.append(MailBlock("button", label=linked["label"], address=linked["address"]))
        kept = []
    return [*blocks, MailBlock("paragraph", lines=kept)] if kept else blocks


def render_mail(
    subject: str,
    text: str,
    brand: MailBrand,
    *,
    language: str = "",
    action: str = "",
    facts: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the HTML part of an email.

    It is one column of 600 pixels, without remote pictures.
    """
    blocks = blocks_of(text, action=action, facts=facts, sender=brand.name)
    light, dark = readable_on(brand.colour, LIGHT_GROUNDS), readable_on(brand.colour, DARK_GROUNDS)
    first = next((each.lines[0] for each in blocks[1:] if each.kind == "paragraph"), "")
    template = _templates().get_template("mail.html")
    return template.render(
        subject=subject,
        brand=brand,
        blocks=blocks,
        language=language,
        summary=first,
        light=light,
        on_light=on_colour(light),
        dark=dark,
        on_dark=on_colour(dark),
    )


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
