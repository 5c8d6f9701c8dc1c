"""Numbers of documents, and what a comparison with the register means."""

import re
from enum import StrEnum

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.ids import CROCKFORD_ALPHABET
from haulier.kernel.values.one_time_codes import make_public_code

DOCUMENT_NOT_READY = declare_error("document_not_ready", 409)
DOCUMENT_NOT_YET = declare_error("document_not_yet", 409)
DOCUMENTS_CANNOT_SIGN = declare_error("documents_cannot_sign", 503)
DOCUMENT_NOT_MADE = declare_error("document_not_made", 422, fields=("kind",))
"""Nobody makes this kind of document about such records."""
CUSTOMS_ITEMS_MISSING = declare_error("customs_items_missing", 422, fields=("shipment_ids",))
"""A commercial invoice is of goods that the shipment names, once its label is bought."""

MAX_ORDERS = 500
"""How many orders or shipments a document is about at most."""
NUMBER_PATTERN = re.compile(r"HD[0-9A-HJKMNP-TV-Z]{16}")
MAX_CANDIDATES = 20


class DocumentKind(StrEnum):
    """What a document is."""

    LABELS = "labels"
    PACKING_SLIP = "packing_slip"
    PROOF_OF_DELIVERY = "proof_of_delivery"
    MANIFEST = "manifest"
    COMMERCIAL_INVOICE = "commercial_invoice"
    INVOICE = "invoice"
    """What a customer is billed, or what is taken back of it; billing issues it."""


class DocumentSubject(StrEnum):
    """What a document is about."""

    ORDERS = "orders"
    ROUTE = "route"
    SHIPMENTS = "shipments"
    CARRIER_MANIFEST = "carrier_manifest"
    INVOICE = "invoice"


class DocumentState(StrEnum):
    """How far a document is."""

    QUEUED = "queued"
    ISSUED = "issued"
    FAILED = "failed"


class Verdict(StrEnum):
    """What the register says of a document.

    `genuine`: issued by us, and not a byte changed. `altered`: it bears the number of one of ours, and is not that one.
    `revoked`: issued by us, unchanged, and withdrawn since. `issued`: there is a document of this number; whether a paper is
    it, only its file tells. `unknown`: nothing here says that we issued it.
    """

    GENUINE = "genuine"
    ALTERED = "altered"
    REVOKED = "revoked"
    ISSUED = "issued"
    UNKNOWN = "unknown"


def make_document_number() -> str:
    """A new number: `HD` and 80 random bits, which nobody guesses."""
    return "HD" + make_public_code(CROCKFORD_ALPHABET, 16)


def read_document_number(text: str) -> str | None:
    """The number in what somebody typed or scanned: a number, or the address that the QR code of a document says."""
    found = NUMBER_PATTERN.search(text.upper().replace(" ", "").replace("-", ""))
    return found[0] if found else None


def numbers_within(content: bytes) -> list[str]:
    """The numbers that a file bears, as texts among its bytes; it is not opened, for it comes from strangers."""
    found = re.findall(NUMBER_PATTERN.pattern.encode(), content)
    return list(dict.fromkeys(number.decode() for number in found))[:MAX_CANDIDATES]


def judge_number(*, revoked: bool) -> Verdict:
    """The verdict on a number alone."""
    return Verdict.REVOKED if revoked else Verdict.ISSUED


def judge_digest(*, revoked: bool) -> Verdict:
    """The verdict on a file whose digest is registered."""
    return Verdict.REVOKED if revoked else Verdict.GENUINE
