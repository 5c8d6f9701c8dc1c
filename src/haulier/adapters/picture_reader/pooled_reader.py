"""Barcode and text recognition for images, in a pooled reader process.

The process is reused, because loading the libraries takes two seconds.
"""

from importlib.util import find_spec

from haulier.contexts.documents.ports import PictureReading, PictureUnreadable
from haulier.kernel.file_reading import (
    FileLimitReached,
    FileReader,
    ReaderStopped,
    ReadingLimits,
    UnreadableFile,
    reading_job,
)

LIMITS = ReadingLimits(memory_mb=2_000, seconds=120)
"""Thirty times the need of a large image on a slow machine. Text recognition alone maps a gigabyte."""
_BARCODE_LIBRARIES = ("zxingcpp", "PIL", "pypdfium2")


@reading_job(question=str, answer=PictureReading, limits=LIMITS, slow=True)
def read_label_picture(content: bytes, media_type: str, limits: ReadingLimits) -> PictureReading:
    """Return the barcodes and text of an image or a PDF."""
    from haulier.adapters.picture_reader.reading import read_picture

    return read_picture(content, media_type, limits)


class PooledPictureReader:
    """Picture reader that uses zxing-cpp for barcodes and RapidOCR for text.

    Both are optional and installed by extras.
    """

    def __init__(self, reader: FileReader) -> None:
        self._reader = reader

    @property
    def reads_barcodes(self) -> bool:
        """Return True if the extra `barcodes` or `ocr` is installed."""
        return all(find_spec(name) for name in _BARCODE_LIBRARIES)

    async def read(self, content: bytes, media_type: str) -> PictureReading:
        """Return the barcodes and text of an image or a PDF.

        Raises `PictureUnreadable`, also if a limit is reached.
        """
        try:
            return await self._reader.read(read_label_picture, content, media_type)
        except (UnreadableFile, FileLimitReached, ReaderStopped):
            raise PictureUnreadable from None
