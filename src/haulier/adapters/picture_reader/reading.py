"""Barcode and text recognition for an image or a PDF.

Requires the extra `barcodes`, and `ocr` for the text of images.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import pypdfium2
import zxingcpp
from PIL import Image, ImageFilter, ImageOps

from haulier.adapters.picture_reader.upright import (
    Corners,
    box_of,
    is_tall,
    is_upside_down,
    lies_on_its_side,
    upright_edges,
)
from haulier.contexts.documents.ports import PictureBarcode, PictureLine, PictureReading
from haulier.kernel.file_reading import FileLimit, FileLimitReached, ReadingLimits

MAX_SIDE = 2000
"""Longest side of an image in pixels. A label of 4 by 6 inches then has about 300 dpi."""
MAX_READ_PIXELS = 2_500_000
"""A label of 4 by 6 inches has 2.2 million pixels at 300 dpi. Text detection in 4 million takes a gigabyte."""
PDF_DPI = 250
MIN_TEXT_LETTERS = 20
"""A PDF with fewer embedded letters is treated as an image: it can be a scan with a number below."""
OWN_TEXT_CONFIDENCE = 0.99
ASCENT, DESCENT = 0.15, 0.25
"""Parts of the letter height to add above and below. A PDF only contains the edges of the letters, not of the line."""
_PDF = "application/pdf"
_UNSCALABLE = ("1", "P", "PA")
"""Image modes that Pillow resizes without interpolation."""


def read_picture(content: bytes, media_type: str, limits: ReadingLimits) -> PictureReading:
    """Return the barcodes and text of an image or a PDF.

    Raises `FileLimitReached`, and any exception of the decoders for damaged files.
    """
    if media_type == _PDF:
        return _read_pdf(content)
    picture = Image.open(BytesIO(content))
    if picture.width * picture.height > limits.pixels:
        raise FileLimitReached(FileLimit.PIXELS, limits.pixels)
    turned = ImageOps.exif_transpose(_small(picture))
    return _read(turned.convert("RGB"), 1, ())


def _small(picture: Image.Image) -> Image.Image:
    """Downscale an image first, because each copy of a large one takes 200 MB."""
    side = min(MAX_SIDE, int(max(picture.size) * (MAX_READ_PIXELS / (picture.width * picture.height)) ** 0.5))
    picture.draft("RGB", (side, side))  # a JPEG is decoded at a fraction of its size
    if picture.mode in _UNSCALABLE and max(picture.size) > side:
        picture = picture.convert("L" if picture.mode == "1" else "RGB")
    picture.thumbnail((side, side), reducing_gap=2.0)
    return picture


def _read_pdf(content: bytes) -> PictureReading:
    document = pypdfium2.PdfDocument(content)
    page = document[0]
    width, height = page.get_size()
    scale = min(PDF_DPI / 72, MAX_SIDE / max(width, height))
    lines = tuple(_own_lines(page, width, height, scale))
    letters = sum(len(line.text) for line in lines)
    picture = page.render(scale=scale).to_pil().convert("RGB")  # pyright: ignore[reportArgumentType] - parts of a dot are fine
    return _read(picture, len(document), lines if letters >= MIN_TEXT_LETTERS else ())


def _own_lines(page: pypdfium2.PdfPage, width: float, height: float, scale: float) -> Iterator[PictureLine]:
    """Yield the embedded text of a page. The y axis of a PDF points upwards."""
    text = page.get_textpage()
    for number in range(text.count_rects()):
        left, bottom, right, top = text.get_rect(number)
        words = text.get_text_bounded(left, bottom, right, top).strip()
        if words:
            corners = [(left, height - top), (right, height - top), (right, height - bottom), (left, height - bottom)]
            above, below = (top - bottom) * ASCENT, (top - bottom) * DESCENT
            edges = (left, height - top - above, right, height - bottom + below)
            yield PictureLine(
                words, OWN_TEXT_CONFIDENCE, box_of(corners, width, height), *(edge * scale for edge in edges)
            )


def _read(picture: Image.Image, pages: int, own: tuple[PictureLine, ...]) -> PictureReading:
    barcodes = tuple(_read_barcodes(picture))
    if own:
        return PictureReading(pages, "pdf", own, barcodes)
    if find_spec("rapidocr") is None:
        return PictureReading(pages, None, (), barcodes)
    return PictureReading(pages, "ocr", tuple(_recognise(picture)), barcodes)


def _read_barcodes(picture: Image.Image) -> Iterator[PictureBarcode]:
    """Yield the barcodes of an image.

    If there are none, retries with the image enlarged and sharpened.
    """
    grey = picture.convert("L")
    found = zxingcpp.read_barcodes(grey)
    if not found:
        large = grey.resize((grey.width * 2, grey.height * 2), Image.Resampling.BICUBIC)
        grey = large.filter(ImageFilter.UnsharpMask(radius=3, percent=250, threshold=2))
        found = zxingcpp.read_barcodes(grey)
    for each in found:
        at = each.position
        corners = [(p.x, p.y) for p in (at.top_left, at.top_right, at.bottom_right, at.bottom_left)]
        text = each.bytes.decode("utf-8", "replace").replace("\x1d", "")
        yield PictureBarcode(each.format.name, text, box_of(corners, grey.width, grey.height))


@lru_cache(maxsize=1)
def _engine() -> Any:
    from rapidocr import RapidOCR

    return RapidOCR(params={"Global.log_level": "error"})


def _recognise(picture: Image.Image) -> Iterator[PictureLine]:
    """Yield the lines of text, with their positions in the upright image."""
    import numpy
    from rapidocr.main import RapidOCRError

    engine = _engine()
    pixels, scaling = engine.preprocess_img(numpy.asarray(picture)[:, :, ::-1])
    try:
        pieces, found = engine.detect_and_crop(pixels, scaling)
    except RapidOCRError:  # no text
        return
    height, width = pixels.shape[:2]
    corners: list[Corners] = [[(float(x), float(y)) for x, y in box] for box in found.boxes]
    sideways = lies_on_its_side(corners)
    seen, facing = engine.cls_and_rotate(list(pieces))
    upside_down = is_upside_down(corners, _were_turned(facing.cls_res), sideways=sideways)
    # Turn all lines the same way: the orientation of a short word such as `TO` is not detected reliably.
    turns = [2 * upside_down + (sideways and not is_tall(box)) for box in corners]
    straight = [numpy.rot90(piece, count) for piece, count in zip(pieces, turns, strict=True)]
    across = [is_tall(box) and not sideways for box in corners]
    said = engine.recognize_txt([other if odd else own for own, other, odd in zip(straight, seen, across, strict=True)])
    edges = upright_edges(corners, width, height, sideways=sideways, upside_down=upside_down)
    for text, score, box, placed in zip(said.txts, said.scores, corners, edges, strict=True):
        if text.strip():
            yield PictureLine(text.strip(), float(score), box_of(box, width, height), *placed)


def _were_turned(results: Iterable[Any]) -> list[bool]:
    """Return True for each line that was detected as upside down."""
    return [str(label) == "180" for label, _ in results]
