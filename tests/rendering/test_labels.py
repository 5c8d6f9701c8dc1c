"""Labels as PDF and PNG: decoders read the barcodes, and the text is in place."""

import unicodedata

import zxingcpp
from tests.rendering.label_makers import LABEL, RECIPIENT, codes_in, label, picture_of, pictures_of, text_of

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.rendering.barcodes import BarcodeFault
from haulier.rendering.labels import (
    HEIGHT,
    WIDTH,
    LabelBarcode,
    LabelParty,
    lay_out_label,
    render_label_pdf,
    render_label_png,
)
from haulier.rendering.page import Bar, Symbol, Symbology, Text
from haulier.rendering.typesetting import REPLACEMENT, fit_text, runs, text_width, unprintable_characters

SSCC = "376104250021234569"
SQUARE = {
    Symbology.QR: ("QRCode", "https://example.com/t/HLTR16KD5632GCM"),
    Symbology.DATA_MATRIX: ("DataMatrix", "Zoë 123"),
    Symbology.GS1_DATA_MATRIX: ("DataMatrix", f"(00){SSCC}"),
    Symbology.AZTEC: ("Aztec", "HLTR16KD5632GCM"),
}


def test_barcodes_of_number_and_sscc_are_readable_in_pdf_and_png() -> None:
    content = label(sscc=SSCC)
    for picture in (*pictures_of(render_label_pdf([content])), picture_of(render_label_png(content))):
        assert picture.size == (WIDTH, HEIGHT)
        assert codes_in(picture) == {("Code128", LABEL.tracking_number), ("Code128", f"(00){SSCC}")}
        gs1 = [code for code in zxingcpp.read_barcodes(picture) if code.content_type is zxingcpp.ContentType.GS1]
        assert [code.bytes for code in gs1] == [f"00{SSCC}".encode()]


def test_each_2d_barcode_is_readable_in_pdf_and_png() -> None:
    for symbology, (kind, data) in SQUARE.items():
        content = label(barcodes=[LabelBarcode(symbology=symbology, data=data)])
        for picture in (*pictures_of(render_label_pdf([content])), picture_of(render_label_png(content))):
            assert (kind, data) in codes_in(picture), symbology


def test_a_maxicode_beside_a_qr_code_is_readable_with_its_structured_message() -> None:
    maxicode = LabelBarcode(symbology=Symbology.MAXICODE, data="1Z12345675 UPSN", primary="902101234840001")
    content = label(barcodes=[LabelBarcode(symbology=Symbology.QR, data="ABC"), maxicode])
    (symbol,) = [
        item
        for item in lay_out_label(content).items
        if isinstance(item, Symbol) and item.symbology is Symbology.MAXICODE
    ]
    box = (symbol.x - 8, symbol.y - 8, symbol.x + symbol.width + 8, symbol.y + symbol.height + 8)
    for picture in (*pictures_of(render_label_pdf([content])), picture_of(render_label_png(content))):
        assert ("QRCode", "ABC") in codes_in(picture)
        (code,) = zxingcpp.read_barcodes(picture.crop(box), formats=zxingcpp.BarcodeFormat.MaxiCode)
        assert code.bytes.split(b"\x1d") == [b"902101234", b"840", b"001", b"1Z12345675 UPSN"]


def test_a_rotated_or_skewed_label_is_readable() -> None:
    picture = picture_of(render_label_png(label(sscc=SSCC)))
    for angle in (3, 90):
        turned = picture.rotate(angle, expand=True, fillcolor=255)
        assert {data for _, data in codes_in(turned)} == {LABEL.tracking_number, f"(00){SSCC}"}, angle


def test_every_name_can_be_copied_from_the_pdf_in_six_languages() -> None:
    names = (
        "Zoë Ångström",
        "王小明",
        "陳大文",
        "Hélène Œuvre",
        "Jürgen Weißgerber",
        "Íñigo Peña",
        "Łukasz Żak",
        "Юлия",
    )
    for language in SUPPORTED_LANGUAGES:
        labels = [label(recipient=LabelParty(name=name), language=language) for name in names]
        for name, text in zip(names, text_of(render_label_pdf(labels)), strict=True):
            assert name in text.splitlines()
    assert "收件人" in text_of(render_label_pdf([label(language="zh-Hans")]))[0].splitlines()


SCRIPTS = {
    "Arabic": "محمد",
    "Hebrew": "יוסי",
    "Thai": "สมชาย",
    "Devanagari": "प्रिया",
    "Tamil": "கமலா",
    "Korean": "김민수",
    "Georgian": "გიორგი",
    "Armenian": "Արմեն",
    "decomposed Latin": "Nguye\u0302\u0303n",
}


def test_every_supported_script_is_drawn_without_a_missing_glyph() -> None:
    missing = [name for name, text in SCRIPTS.items() if unprintable_characters(text) or lacks_a_glyph(text)]
    assert missing == []


def lacks_a_glyph(text: str) -> bool:
    """Return True if a line shows the replacement for a missing glyph."""
    return any(
        letter.shown == REPLACEMENT or not letter.glyph for _, letters in runs(text, False) for letter in letters
    )


def test_decomposed_characters_are_drawn_like_composed_ones() -> None:
    decomposed, composed = (
        label(recipient=LabelParty(name=f"Nguy{letter}n")) for letter in ("e\u0302\u0303", "\u1ec5")
    )
    assert render_label_png(decomposed) == render_label_png(composed)


def test_arabic_letters_join_from_right_to_left() -> None:
    letters = [letter for _, each in runs("محمد 12", False) for letter in each]
    assert "".join(letter.shown for letter in letters if letter.shown.strip()) == "12دمحم"
    alone = {letter.glyph for sign in "محمد" for _, each in runs(sign, False) for letter in each}
    assert alone.isdisjoint(letter.glyph for letter in letters[3:6]), (
        "the letters at the beginning and middle are joined"
    )


def test_a_line_is_never_broken_between_a_letter_and_its_marks() -> None:
    for text in ("प्रिया शर्मा", "สมชาย ใจดี"):
        cut = fit_text(text, 30, text_width(text, 30) * 0.6)
        following = text[len(cut) - 1]
        assert cut.endswith("…")
        assert unicodedata.category(following)[0] != "M"


def test_a_character_without_a_font_is_drawn_as_a_replacement() -> None:
    (text,) = text_of(render_label_pdf([label(recipient=LabelParty(name="Ana 😀"))]))
    assert "Ana \ufffd" in text.splitlines()


def test_a_batch_is_one_pdf_with_pages_in_the_same_order() -> None:
    numbers = [f"HLTR{number:04}" for number in range(5)]
    pages = pictures_of(render_label_pdf([label(tracking_number=number) for number in numbers]))
    assert [codes_in(page) for page in pages] == [{("Code128", number)} for number in numbers]


def test_the_same_label_gives_the_same_bytes() -> None:
    assert render_label_pdf([LABEL]) == render_label_pdf([LABEL])
    assert render_label_png(LABEL) == render_label_png(LABEL)


def test_long_text_never_leaves_the_label() -> None:
    long = LabelParty(
        name="W" * 200, company="臺" * 200, address=("M" * 300,) * 4, place="W" * 99, country="C" * 60, phone="9" * 80
    )
    content = label(
        carrier="W" * 99,
        service="W" * 99,
        sender=long,
        recipient=long,
        routing="W" * 80,
        notes="word " * 400,
        cod="9" * 60,
        references=["R" * 90] * 9,
        sscc=SSCC,
        barcodes=[LabelBarcode(symbology=Symbology.QR, data="A")] * 2,
    )
    for item in lay_out_label(content).items:
        if isinstance(item, Text):
            width = text_width(item.text, item.size, item.bold)
            left = item.x - {"left": 0, "center": width / 2, "right": width}[item.align]
            assert left >= 0, item
            assert left + width <= WIDTH, item
            assert item.size / 2 <= item.y <= HEIGHT, item
        elif isinstance(item, Bar | Symbol):
            assert item.x + item.width <= WIDTH
            assert item.y + item.height <= HEIGHT


def test_a_barcode_without_space_is_refused_instead_of_printed_too_small() -> None:
    cases = (
        {"tracking_number": "Ab" * 40},
        {"tracking_number": "汉字"},
        {"barcodes": [LabelBarcode(symbology=Symbology.QR, data="A")] * 3},
        {"sscc": SSCC, "barcodes": [LabelBarcode(symbology=Symbology.CODE_128, data="A")]},
        {"sscc": "123"},
    )
    assert [case for case in cases if not refused(**case)] == []


def refused(**changes: object) -> bool:
    try:
        render_label_pdf([label(**changes)])
    except BarcodeFault:
        return True
    return False


def test_the_label_maker_prints_the_recipient() -> None:
    (text,) = text_of(render_label_pdf([LABEL]))
    assert {RECIPIENT.name, "1 Front St", "Toronto ON M5J 2X7 CA", "1.25 kg", "1 of 1"} <= set(text.splitlines())
