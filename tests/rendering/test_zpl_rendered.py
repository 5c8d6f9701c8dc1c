"""ZPL drawn by an independent renderer (zebrash), with readable barcodes."""

from collections.abc import Mapping
from pathlib import Path

import zxingcpp
from PIL import Image, ImageChops
from tests.api.node_packages import run_script
from tests.rendering.label_makers import LABEL, codes_in, label, picture_of
from tests.support.app import App
from tests.support.transport import make_contact, make_order

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES
from haulier.rendering.labels import (
    HEIGHT,
    WIDTH,
    LabelBarcode,
    LabelParty,
    lay_out_label,
    render_label_png,
    render_label_zpl,
)
from haulier.rendering.page import Symbol, Symbology
from haulier.rendering.zpl import normalise_zpl

SSCC = "376104250021234569"
NUMBER = ("Code128", LABEL.tracking_number)
SQUARE = {
    Symbology.QR: ("QRCode", "https://example.com/t/HLTR16KD5632GCM"),
    Symbology.DATA_MATRIX: ("DataMatrix", "Zoë 123"),
    Symbology.GS1_DATA_MATRIX: ("DataMatrix", f"(00){SSCC}"),
    Symbology.AZTEC: ("Aztec", "HLTR16KD5632GCM"),
}
NAMES = {
    "en": "Zoe O'Brien",
    "zh-Hans": "王小明",
    "zh-Hant": "陳大文",
    "fr": "Hélène Œuvre",
    "de": "Jürgen Weißgerber",
    "es": "Íñigo Peña",
}
CELL = 58
"""Size of the compared parts of a label. Glyphs of the printer's font differ by a few dots."""


async def drawn(folder: Path, labels: Mapping[str, bytes]) -> dict[str, Image.Image]:
    """Render labels."""
    for name, zpl in labels.items():
        (folder / f"{name}.zpl").write_bytes(zpl)
    await run_script("render_zpl.mjs", str(folder), str(WIDTH), str(HEIGHT))
    return {name: picture_of((folder / f"{name}.png").read_bytes()) for name in labels}


def inked(picture: Image.Image) -> set[tuple[int, int]]:
    """Return the cells of a picture with ink, ignoring the edges of cells."""
    cells = ((x, y) for x in range(0, WIDTH, CELL) for y in range(0, HEIGHT, CELL))
    return {(x, y) for x, y in cells if picture.crop((x + 4, y + 4, x + CELL - 4, y + CELL - 4)).getextrema()[0] < 128}


async def test_every_barcode_is_readable_in_an_independent_rendering(tmp_path: Path) -> None:
    labels = {"sscc": render_label_zpl(label(sscc=SSCC))}
    for symbology, (_, data) in SQUARE.items():
        labels[symbology.name] = render_label_zpl(label(barcodes=[LabelBarcode(symbology=symbology, data=data)]))
    pictures = await drawn(tmp_path, labels)
    assert {picture.size for picture in pictures.values()} == {(WIDTH, HEIGHT)}
    assert codes_in(pictures["sscc"]) == {NUMBER, ("Code128", f"(00){SSCC}")}
    for symbology, code in SQUARE.items():
        assert codes_in(pictures[symbology.name]) == {NUMBER, code}, symbology


async def test_a_maxicode_is_readable_in_it_with_its_structured_message(tmp_path: Path) -> None:
    maxicode = LabelBarcode(symbology=Symbology.MAXICODE, data="1Z12345675 UPSN", primary="902101234840001")
    content = label(barcodes=[maxicode])
    (at,) = [item for item in lay_out_label(content).items if isinstance(item, Symbol) and item.y < HEIGHT * 2 / 3]
    picture = (await drawn(tmp_path, {"maxicode": render_label_zpl(content)}))["maxicode"]
    box = picture.crop((at.x - 8, at.y - 8, at.x + at.width + 8, at.y + at.height + 8))
    (code,) = zxingcpp.read_barcodes(box, formats=zxingcpp.BarcodeFormat.MaxiCode)
    assert code.bytes.split(b"\x1d") == [b"902101234", b"840", b"001", b"1Z12345675 UPSN"]


async def test_names_in_all_six_languages_match_our_own_rendering(tmp_path: Path) -> None:
    assert NAMES.keys() == set(SUPPORTED_LANGUAGES)
    contents = {
        language: label(recipient=LabelParty(name=name, address=(name,), place=name), language=language)
        for language, name in NAMES.items()
    }
    pictures = await drawn(tmp_path, {language: render_label_zpl(each) for language, each in contents.items()})
    for language, content in contents.items():
        ours, theirs = inked(picture_of(render_label_png(content))), inked(pictures[language])
        assert len(ours & theirs) > 0.9 * len(ours | theirs), language
        assert codes_in(pictures[language]) == {NUMBER}, language


async def test_a_hostile_name_is_printed_without_side_effects(tmp_path: Path) -> None:
    hostile = label(recipient=LabelParty(name="^XZ^XA^FO0,0^GB812,1218,812^FS~JA"))
    plain = label(recipient=LabelParty(name="Bo"))
    pictures = await drawn(tmp_path, {"hostile": render_label_zpl(hostile), "plain": render_label_zpl(plain)})
    left, top, right, bottom = ImageChops.difference(pictures["hostile"], pictures["plain"]).getbbox() or (0, 0, 0, 0)
    assert (left > 0, top > 300, right < WIDTH, bottom < 440) == (True, True, True, True)
    assert codes_in(pictures["hostile"]) == {NUMBER}


async def test_a_sanitized_carrier_label_prints_the_same(tmp_path: Path) -> None:
    body = b"^FO30,30^A0N,40^FDPriority^FS^FO60,200^BY3^BCN,200,N,N,N,A^FD9400111298370264401222^FS"
    foreign = b"^XA^MMT^PR4,4^MD15^PW812^LL1218\n~SD20" + body + b"^JUS^XZ\n"
    harmless = normalise_zpl(foreign)
    assert harmless != foreign
    pictures = await drawn(tmp_path, {"foreign": foreign, "harmless": harmless})
    assert ImageChops.difference(pictures["foreign"], pictures["harmless"]).getbbox() is None
    assert codes_in(pictures["harmless"]) == {("Code128", "9400111298370264401222")}


async def test_a_local_order_label_is_readable_in_it(app: App, tmp_path: Path) -> None:
    order_id = await make_order(app, packages=[{}, {}], consignee=make_contact(name="Jürgen 王小明", city="Montréal"))
    answer = await app.answer("admin", "print_local_label", {"order_id": order_id})
    labels = {str(data.piece): label.encode() for data, label in zip(answer.data, answer.labels, strict=True)}
    pictures = await drawn(tmp_path, labels)
    read = {piece: codes_in(picture) for piece, picture in pictures.items()}
    assert read == {str(data.piece): {("Code128", data.tracking_number)} for data in answer.data}
