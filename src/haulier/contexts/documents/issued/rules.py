"""Document numbers, and verdicts from the register."""

import re
from enum import StrEnum

from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.ids import CROCKFORD_ALPHABET
from haulier.kernel.values.one_time_codes import make_public_code

DOCUMENT_NOT_READY = declare_error("document_not_ready", 409)
DOCUMENT_NOT_YET = declare_error("document_not_yet", 409)
DOCUMENTS_CANNOT_SIGN = declare_error("documents_cannot_sign", 503)
DOCUMENT_NOT_MADE = declare_error("document_not_made", 422, fields=("kind",))
"""No maker exists for this kind of document and records."""
CUSTOMS_ITEMS_MISSING = declare_error("customs_items_missing", 422, fields=("shipment_ids",))
"""A commercial invoice needs the shipment's goods and a bought label."""

MAX_ORDERS = 500
"""Maximum number of orders or shipments per document."""
NUMBER_PATTERN = re.compile(r"HD[0-9A-HJKMNP-TV-Z]{16}")
MAX_CANDIDATES = 20


class DocumentKind(StrEnum):
    """Kinds of documents."""

    LABELS = "labels"
    PACKING_SLIP = "packing_slip"
    PROOF_OF_DELIVERY = "proof_of_delivery"
    MANIFEST = "manifest"
    COMMERCIAL_INVOICE = "commercial_invoice"
    INVOICE = "invoice"
    """An invoice or credit note of a customer, issued by billing."""


class DocumentSubject(StrEnum):
    """Subjects of documents."""

    ORDERS = "orders"
    ROUTE = "route"
    SHIPMENTS = "shipments"
    CARRIER_MANIFEST = "carrier_manifest"
    INVOICE = "invoice"


class DocumentState(StrEnum):
    """State of a document."""

    QUEUED = "queued"
    ISSUED = "issued"
    FAILED = "failed"


class Verdict(StrEnum):
    """Verdict of the register on a document.

    `genuine`: issued here and unchanged. `altered`: it has the number of a document issued here, but differs.
    `revoked`: issued here, unchanged, and revoked. `issued`: the number exists; only the file proves a document.
    `unknown`: not issued here.
    """

    GENUINE = "genuine"
    ALTERED = "altered"
    REVOKED = "revoked"
    ISSUED = "issued"
    UNKNOWN = "unknown"


def make_document_number() -> str:
    """Return a new number: `HD` and 80 random bits, which cannot be guessed."""
    return "HD" + make_public_code(CROCKFORD_ALPHABET, 16)


def read_document_number(text: str) -> str | None:
    """Return the number in a typed or scanned text, or None.

    The text is a number, or the address in a QR code.
    """
    found = NUMBER_PATTERN.search(text.upper().replace(" ", "").replace("-", ""))
    return found[0] if found else None


def numbers_within(content: bytes) -> list[str]:
    """Return document numbers among a file's bytes. The untrusted file is not opened."""
    found = re.findall(NUMBER_PATTERN.pattern.encode(), content)
    return list(dict.fromkeys(number.decode() for number in found))[:MAX_CANDIDATES]


def verify_number(*, revoked: bool) -> Verdict:
    """Return the verdict on a number alone."""
    return Verdict.REVOKED if revoked else Verdict.ISSUED


def verify_digest(*, revoked: bool) -> Verdict:
    """Return the verdict on a file whose digest is registered."""
    return Verdict.REVOKED if revoked else Verdict.GENUINE
