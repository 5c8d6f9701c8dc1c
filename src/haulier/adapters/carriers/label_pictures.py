"""Conversion of picture labels to PDF or PNG in a reader process."""

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING

from haulier.contexts.shipping.ports import LabelFormat, OutcomeUnknown
from haulier.kernel.file_reading import (
    FileLimit,
    FileLimitReached,
    FileReader,
    ReaderStopped,
    ReadingLimits,
    UnreadableFile,
    reading_job,
)
from haulier.rendering.page import Page, Picture
from haulier.rendering.pdf import render_pdf

if TYPE_CHECKING:
    from PIL import Image

LIMITS = ReadingLimits(memory_mb=256, seconds=20, pixels=10_000_000)
WIDTH, HEIGHT = 812, 1218
_LIBRARIES = ("PIL", "pypdfium2")
WHITE, TALLEST = 250, HEIGHT / WIDTH


@reading_job(question=str, answer=bytes, limits=LIMITS)
def draw_label_picture(content: bytes, form: str, limits: ReadingLimits) -> bytes:
    """Convert a GIF or PNG of a label to PNG, or to PDF of 4 by 6 inches.

    The result is upright and without the blank strip at the bottom.
    """
    from PIL import Image

    try:
        picture = Image.open(BytesIO(content), formats=("GIF", "PNG"))
        if picture.width * picture.height > limits.pixels:
            raise FileLimitReached(FileLimit.PIXELS, limits.pixels)
        grey = picture.convert("L")
    except (OSError, SyntaxError, ValueError) as fault:
        raise UnreadableFile from fault
    upright = grey.transpose(Image.Transpose.ROTATE_270) if grey.width > grey.height else grey
    drawn = BytesIO()
    _without_blank_strip(upright).save(drawn, "PNG", optimize=True)
    png = drawn.getvalue()
    if LabelFormat(form) is LabelFormat.PNG:
        return png
    return render_pdf([Page(WIDTH, HEIGHT, [Picture(0, 0, WIDTH, HEIGHT, png, "image/png")])], title="", language="en")


@reading_job(question=str, answer=list[bytes], limits=LIMITS)
def split_label_pages(content: bytes, media_type: str, limits: ReadingLimits) -> list[bytes]:
    """Return each page of a PDF as a document of its own."""
    import pypdfium2

    try:
        whole = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as fault:
        raise UnreadableFile from fault
    parts = list[bytes]()
    for number in range(len(whole)):
        part, written = pypdfium2.PdfDocument.new(), BytesIO()
        part.import_pages(whole, [number])
        part.save(written)
        parts.append(written.getvalue())
    return parts


def _without_blank_strip(picture: "Image.Image") -> "Image.Image":
    """Crop the part beyond 4 by 6 inches if nothing is printed there."""
    kept = round(picture.width * TALLEST)
    if picture.height <= kept:
        return picture
    strip = picture.crop((0, kept, picture.width, picture.height))
    printed = strip.point([255 if shade < WHITE else 0 for shade in range(256)]).getbbox()
    return picture if printed else picture.crop((0, 0, picture.width, kept))


class LabelPictures:
    """Converter and splitter of label documents.

    Requires the extra `barcodes` or `ocr`.
    """

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader

    @property
    def available(self) -> bool:
        """Return True if pictures and PDFs can be read."""
        return all(find_spec(name) for name in _LIBRARIES)

    async def draw(self, content: bytes, form: LabelFormat) -> bytes:
        """Return a picture as PDF or PNG.

        Raises `OutcomeUnknown` if it cannot be read, because the label was bought.
        """
        try:
            return await self._reader.read(draw_label_picture, content, form.value)
        except (UnreadableFile, FileLimitReached, ReaderStopped) as fault:
            raise OutcomeUnknown("the picture of the label cannot be read") from fault

    async def split(self, pdf: bytes) -> list[bytes]:
        """Return the pages of a PDF as documents.

        Raises `OutcomeUnknown` if it cannot be read, because the labels were bought.
        """
        try:
            return await self._reader.read(split_label_pages, pdf, "application/pdf")
        except (UnreadableFile, FileLimitReached, ReaderStopped) as fault:
            raise OutcomeUnknown("the labels cannot be read") from fault
