"""ZPL labels cannot command a printer, and foreign ZPL is sanitized."""

import re

from hypothesis import given
from hypothesis import strategies as some
from tests.rendering.label_makers import label

from haulier.rendering.labels import LabelBarcode, LabelParty, render_label_zpl
from haulier.rendering.page import Symbology
from haulier.rendering.zpl import escape_zpl, normalise_zpl

COMMANDS = re.compile(r"[\^~][A-Z0-9@]{2}")
LAYOUT = {
    "^XA",
    "^CI",
    "^PW",
    "^LL",
    "^LH",
    "^PO",
    "^FO",
    "^FT",
    "^A0",
    "^FH",
    "^FD",
    "^FS",
    "^GB",
    "^GF",
    "^BY",
    "^BC",
    "^XZ",
}


def unescaped(field: str) -> str:
    """Return a field as a printer reads it after ^FH."""
    return re.sub("_([0-9a-f]{2})", lambda code: chr(int(code[1], 16)), field)


@given(some.text(max_size=60))
def test_any_text_is_printed_as_text(text: str) -> None:
    escaped = escape_zpl(text)
    assert not set(escaped) & set("^~")
    assert unescaped(escaped) == text


@given(some.text(max_size=60), some.sampled_from(["name", "company", "place", "phone"]))
def test_label_text_never_becomes_a_printer_command(text: str, field: str) -> None:
    party = LabelParty(**{"name": "Bo", field: text})
    zpl = render_label_zpl(label(recipient=party, notes=text, references=[text])).decode()
    assert set(COMMANDS.findall(zpl)) <= LAYOUT
    assert (zpl.count("^XA"), zpl.count("^XZ")) == (1, 1)
    assert zpl.count("^FD") + zpl.count("^GB") + zpl.count("^GF") == zpl.count("^FS")


def test_supported_characters_are_text_and_others_are_a_picture() -> None:
    zpl = render_label_zpl(label(recipient=LabelParty(name="Zoë Ångström"))).decode()
    assert "^FDZoë Ångström^FS" in zpl
    assert "^GFA" in render_label_zpl(label(recipient=LabelParty(name="王小明"))).decode()
    assert "王" not in render_label_zpl(label(recipient=LabelParty(name="王小明"))).decode()


def test_barcodes_are_drawn_by_the_printer_with_gs1_in_its_own_mode() -> None:
    zpl = render_label_zpl(label(sscc="376104250021234569")).decode()
    assert re.findall(r"\^BCN,\d+,N,N,N,(.)\^FH\^FD(.+?)\^FS", zpl) == [
        ("A", "HLTR16KD5632GCM"),
        ("D", "(00)376104250021234569"),
    ]


def test_printer_settings_are_removed_from_carrier_labels_and_the_rest_is_kept() -> None:
    usps = b"^XA^MMT^PR4,4^MD15^PW812\n~SD20^FO10,10^A0N,30^FDPriority^FS^JUS^XZ\n"
    assert normalise_zpl(usps) == b"^XA^PW812\n^FO10,10^A0N,30^FDPriority^FS^XZ\n"


def test_an_unusual_picture_ending_is_normalized() -> None:
    assert normalise_zpl(b"^XA^FO0,0^GFA,2,2,1,FFFF^DN^XZ") == b"^XA^FO0,0^GFA,2,2,1,FFFF^FS^XZ"


def test_embedded_pictures_are_kept() -> None:
    stored = b"~DGR:LOGO.GRF,2,1,FFFF^XA^XGR:LOGO.GRF,1,1^FS^XZ"
    assert normalise_zpl(stored) == stored
    binary = b"^XA^GFB,6,6,1,^MMT~X^FS^XZ"
    assert normalise_zpl(binary) == binary


def test_zpl_with_custom_control_characters_is_refused() -> None:
    for zpl in (b"^CC+^XA", b"~CT|"):
        try:
            normalise_zpl(zpl)
        except ValueError:
            continue
        raise AssertionError(zpl)


@given(some.binary(max_size=200))
def test_normalizing_is_idempotent(zpl: bytes) -> None:
    try:
        once = normalise_zpl(zpl)
    except ValueError:
        return
    assert normalise_zpl(once) == once


def test_our_own_labels_need_no_normalizing() -> None:
    zpl = render_label_zpl(label(barcodes=[LabelBarcode(symbology=Symbology.QR, data="A")]))
    assert normalise_zpl(zpl) == zpl
