"""HTML part of emails: made of the plain text, for every mail program."""

import re

from tests.support.every_case import for_every

from haulier.kernel.values.colours import CONTRAST, contrast
from haulier.rendering.mail import MailBrand, blocks_of, render_mail, with_facts

BRAND = MailBrand(name="Lokki", colour="#ffdd00", contacts=[("Help", "https://lokki.example/help"), ("Pier 1", "")])
LINK = "https://lokki.example/track/HL1"


def test_a_link_in_a_paragraph_of_its_own_is_a_button_and_the_signature_is_in_the_footer() -> None:
    blocks = blocks_of(f"Hello Ada,\n\nYour parcel left.\n\n{LINK}\n\nLokki\n", action="Track parcel", sender="Lokki")
    assert [each.kind for each in blocks] == ["paragraph", "paragraph", "button"]
    assert (blocks[2].label, blocks[2].address) == ("Track parcel", LINK)


@for_every("colon", [": ", "：", " : "])
def test_a_link_after_a_label_is_a_button_with_that_label(colon: str) -> None:
    blocks = blocks_of(f"Return number 7\nTrack or cancel{colon}{LINK}")
    assert [(each.kind, each.label) for each in blocks] == [("paragraph", ""), ("button", "Track or cancel")]


def test_a_code_stands_out() -> None:
    (block,) = blocks_of("Pickup code: 483-921")
    assert (block.kind, block.label, block.lines) == ("code", "Pickup code", ["483-921"])


def test_facts_are_lines_of_the_text_and_a_card_of_the_page() -> None:
    facts = (("Tracking number", "HL1"), ("From", "Acme"))
    text = with_facts(f"Hello,\n\n{LINK}\n\nLokki", facts)
    assert text == f"Hello,\n\nTracking number: HL1\nFrom: Acme\n\n{LINK}\n\nLokki"
    assert [each.kind for each in blocks_of(text, facts=facts, sender="Lokki")] == ["paragraph", "facts", "button"]


def test_facts_come_before_the_sentence_that_leads_to_the_link() -> None:
    text = with_facts(f"Hello,\n\nFollow it here:\n\n{LINK}", (("From", "Acme"),))
    assert text == f"Hello,\n\nFrom: Acme\n\nFollow it here:\n\n{LINK}"


def test_text_of_others_is_never_markup() -> None:
    html = render_mail("<b>Hi</b>", 'Hello <script>x</script>,\n\n"quoted" & more', BRAND)
    assert "<script" not in html
    assert "&lt;b&gt;Hi" in html


def test_nothing_is_loaded_from_elsewhere_and_the_column_is_600_pixels_wide() -> None:
    html = render_mail("Hi", f"Hello,\n\n{LINK}", BRAND, language="de")
    assert re.findall(r"<(?:img|link|script)\b|url\(|@import", html) == []
    assert "max-width:600px" in html
    assert '<table role="presentation" width="600"' in html.partition("<!--[if mso]>")[2].partition("<![endif]-->")[0]
    assert '<html lang="de">' in html


def test_the_colour_of_a_business_can_be_read_on_buttons() -> None:
    html = render_mail("Hi", LINK, BRAND)
    found = re.search(r'bgcolor="(#\w{6})".*?class="on-brand".*?color:(#\w{6});text-decoration', html, re.S)
    assert found is not None
    assert contrast(found[1], found[2]) >= CONTRAST
