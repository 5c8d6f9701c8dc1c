"""How far the reading of a label is, and what of it an order can be made of."""

from enum import StrEnum

from haulier.kernel.operations.errors import declare_error

LABEL_READER_MISSING = declare_error("label_reader_missing", 503)
LABEL_NOT_READ_YET = declare_error("label_not_read_yet", 409)
LABEL_NEEDS_REVIEW = declare_error("label_needs_review", 409)


class LabelParseState(StrEnum):
    """How far it is. `needs_review`: something that an order needs is missing, or less certain than is trusted."""

    QUEUED = "queued"
    READ = "read"
    NEEDS_REVIEW = "needs_review"
    ACCEPTED = "accepted"
    FAILED = "failed"


class LabelEngine(StrEnum):
    """What read a label: barcodes and recognised text, barcodes and the text that a PDF has, barcodes alone, or a text."""

    OCR = "ocr"
    PDF = "pdf"
    BARCODES = "barcodes"
    TEXT = "text"


PARTS_OF_ADDRESS = ("name", "address", "unit", "city", "region", "postal_code", "country", "phone", "email")
NEEDED_PARTS = ("name", "address", "city", "country")
MAX_VALUE = 120
"""Longer values are cut: no line of a label is longer."""
