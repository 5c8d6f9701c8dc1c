"""Content and layout of printed documents.

They are packing slips, manifests, proofs of delivery and commercial invoices.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

import msgspec

from haulier.rendering.labels import LabelParty
from haulier.rendering.page import Page
from haulier.rendering.sheets import Column, PaperHead, Sheets

SIGNATURE_HEIGHT, PHOTO_HEIGHT = 360, 900


class PackedPiece(msgspec.Struct, frozen=True, kw_only=True):
    """One package of a shipment."""

    tracking_number: str
    description: str | None = None
    weight_g: int | None = None
    size_mm: tuple[int, int, int] | None = None
    """Length, width and height in millimetres."""


class PackedItem(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the order that a parcel belongs to."""

    description: str | None
    quantity: int
    sku: str | None = None


class PackingSlip(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a packing slip, without prices."""

    head: PaperHead
    tracking_number: str
    sender: LabelParty
    recipient: LabelParty
    pieces: Sequence[PackedPiece]
    items: Sequence[PackedItem] = ()
    reference: str | None = None
    ship_date: str | None = None
    notes: str | None = None


class ManifestStop(msgspec.Struct, frozen=True, kw_only=True):
    """A stop of a route."""

    position: int
    kind: str
    """Type of stop in the language of the document."""
    name: str
    address: str
    tracking_number: str
    pieces: int
    weight_g: int
    planned: str | None = None
    """Planned time, localized."""
    reference: str | None = None
    cod: str | None = None


class ManifestPaper(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a manifest.

    It lists everything that a vehicle or carrier takes over, with space to sign.
    """

    head: PaperHead
    day: str
    stops: Sequence[ManifestStop]
    """Stops of the route, or packages for the carrier."""
    route: str | None = None
    carrier: str | None = None
    driver: str | None = None
    depot: str | None = None


class ProofPicture(msgspec.Struct, frozen=True, kw_only=True):
    """A photo or signature in its original bytes."""

    content: bytes
    media_type: str


class DeliveryProofPaper(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a proof of delivery."""

    head: PaperHead
    tracking_number: str
    recipient: LabelParty
    delivered_at: str
    reference: str | None = None
    taken_by: str | None = None
    note: str | None = None
    pieces: int = 1
    signature: ProofPicture | None = None
    photos: Sequence[ProofPicture] = ()


class InvoiceLine(msgspec.Struct, frozen=True, kw_only=True):
    """Goods of one kind. Amounts are localized."""

    description: str
    quantity: int
    unit_value: str
    value: str
    hs_code: str | None = None
    """Harmonized System code for customs."""
    origin: str | None = None
    """Country of origin (ISO 3166-1 alpha-2)."""
    weight_g: int | None = None


class CommercialInvoice(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a commercial invoice for customs."""

    head: PaperHead
    tracking_number: str
    seller: LabelParty
    buyer: LabelParty
    lines: Sequence[InvoiceLine]
    total: str
    currency: str
    reason: str
    """Reason for export in the language of the document: sale, gift, sample, return, repair."""
    invoice_date: str
    incoterm: str | None = None
    reference: str | None = None
    declarant: str | None = None


def party_lines(party: LabelParty) -> list[str]:
    """Return a sender or recipient, one line each."""
    lines = (party.name, party.company, *party.address, party.place, party.country, party.phone)
    return [line for line in lines if line]


def lay_out_packing_slip(slip: PackingSlip) -> list[Page]:
    """Return the pages of a packing slip."""
    sheets = Sheets(slip.head, "paper_packing_slip")
    say = sheets.say
    sheets.blocks([(say("label_from"), party_lines(slip.sender)), (say("label_to"), party_lines(slip.recipient))])
    sheets.facts([(say("paper_reference"), slip.reference or ""), (say("paper_day"), slip.ship_date or "")])
    sheets.barcode(slip.tracking_number)
    columns = [
        Column("#", 0.07),
        Column(say("paper_description"), 0.39),
        Column(say("paper_number"), 0.24),
        Column(say("paper_size"), 0.16),
        Column(say("paper_weight"), 0.14, "right"),
    ]
    rows = [
        (str(number), piece.description or "", piece.tracking_number, _size(piece), _weight(say, piece.weight_g))
        for number, piece in enumerate(slip.pieces, 1)
    ]
    sheets.table(columns, rows)
    if slip.items:
        sheets.space()
        _draw_item_table(sheets, slip.items)
    if slip.notes:
        sheets.space(60)
        sheets.line(slip.notes, lines=6)
    return sheets.to_pages()


def _draw_item_table(sheets: Sheets, items: Sequence[PackedItem]) -> None:
    say = sheets.say
    columns = [
        Column(say("paper_sku"), 0.3),
        Column(say("paper_description"), 0.56),
        Column(say("paper_quantity"), 0.14, "right"),
    ]
    sheets.table(columns, [(item.sku or "", item.description or "", str(item.quantity)) for item in items])


def lay_out_manifest(manifest: ManifestPaper) -> list[Page]:
    """Return the pages of a manifest."""
    sheets = Sheets(manifest.head, "paper_manifest")
    say = sheets.say
    weight = sum(stop.weight_g for stop in manifest.stops)
    sheets.facts(
        [
            (say("paper_route"), manifest.route or ""),
            (say("paper_carrier"), manifest.carrier or ""),
            (say("paper_day"), manifest.day),
            (say("paper_driver"), manifest.driver or ""),
            (say("paper_depot"), manifest.depot or ""),
            (say("paper_pieces"), str(sum(stop.pieces for stop in manifest.stops))),
            (say("paper_weight"), _weight(say, weight)),
        ]
    )
    columns = [
        Column("#", 0.06),
        Column(say("paper_stop"), 0.14, lead=True),
        Column(say("paper_address"), 0.38, lead=True),
        Column(say("paper_number"), 0.2),
        Column(say("paper_pieces"), 0.1, "right"),
        Column(say("paper_weight"), 0.12, "right"),
    ]
    sheets.table(columns, [_manifest_row(say, stop) for stop in manifest.stops])
    sheets.signatures([(say("paper_handed_over"), ""), (say("paper_taken_over"), "")])
    return sheets.to_pages()


def _manifest_row(say: Callable[..., str], stop: ManifestStop) -> tuple[str, ...]:
    what = "\n".join(filter(None, (stop.planned, stop.kind)))
    number = "\n".join(filter(None, (stop.tracking_number, stop.reference)))
    cod = say("label_cod", amount=stop.cod) if stop.cod else ""
    where = "\n".join(filter(None, (stop.name, stop.address, cod)))
    return (str(stop.position), what, where, number, str(stop.pieces), _weight(say, stop.weight_g))


def lay_out_proof_of_delivery(proof: DeliveryProofPaper) -> list[Page]:
    """Return the pages of a proof of delivery.

    Pictures that PDF cannot show are listed by digest.
    """
    sheets = Sheets(proof.head, "paper_proof_of_delivery")
    say = sheets.say
    sheets.blocks([(say("label_to"), party_lines(proof.recipient))])
    sheets.facts(
        [
            (say("paper_delivered_at"), proof.delivered_at),
            (say("paper_taken_by"), proof.taken_by or ""),
            (say("paper_reference"), proof.reference or ""),
            (say("paper_pieces"), str(proof.pieces)),
        ]
    )
    sheets.barcode(proof.tracking_number)
    if proof.note:
        sheets.line(proof.note, lines=4)
    if proof.signature:
        sheets.picture(
            say("paper_signature"), *_shown(proof.signature), SIGNATURE_HEIGHT, note=_digest(proof.signature)
        )
    for number, photo in enumerate(proof.photos, 1):
        title = say("paper_photo", number=number)
        sheets.picture(title, *_shown(photo), PHOTO_HEIGHT, note=_digest(photo))
    return sheets.to_pages()


def lay_out_commercial_invoice(invoice: CommercialInvoice) -> list[Page]:
    """Return the pages of a commercial invoice."""
    sheets = Sheets(invoice.head, "paper_commercial_invoice")
    say = sheets.say
    sheets.blocks(
        [(say("paper_seller"), party_lines(invoice.seller)), (say("paper_buyer"), party_lines(invoice.buyer))]
    )
    sheets.facts(
        [
            (say("paper_day"), invoice.invoice_date),
            (say("paper_number"), invoice.tracking_number),
            (say("paper_reason"), invoice.reason),
            (say("paper_incoterm"), invoice.incoterm or ""),
            (say("paper_reference"), invoice.reference or ""),
            (say("paper_currency"), invoice.currency),
        ]
    )
    columns = [
        Column(say("paper_description"), 0.34),
        Column(say("paper_hs_code"), 0.12),
        Column(say("paper_origin"), 0.09),
        Column(say("paper_quantity"), 0.09, "right"),
        Column(say("paper_weight"), 0.12, "right"),
        Column(say("paper_unit_value"), 0.12, "right"),
        Column(say("paper_value"), 0.12, "right"),
    ]
    rows = [
        (
            line.description,
            line.hs_code or "",
            line.origin or "",
            str(line.quantity),
            _weight(say, line.weight_g),
            line.unit_value,
            line.value,
        )
        for line in invoice.lines
    ]
    sheets.table(columns, rows)
    sheets.space()
    sheets.line(say("paper_total", total=invoice.total, currency=invoice.currency), 36, bold=True)
    sheets.space()
    sheets.line(say("paper_declaration"), 24, lines=3)
    sheets.signatures([(say("paper_declarant"), invoice.declarant or ""), (say("paper_day"), invoice.invoice_date)])
    return sheets.to_pages()


def _shown(picture: ProofPicture) -> tuple[bytes, str]:
    return picture.content, picture.media_type


def _digest(picture: ProofPicture) -> str:
    return f"SHA-256 {sha256(picture.content).hexdigest()}"


def _weight(say: Callable[..., str], weight_g: int | None) -> str:
    return "" if weight_g is None else say("label_weight", weight=f"{weight_g / 1000:.2f}")


def _size(piece: PackedPiece) -> str:
    return " × ".join(f"{side / 10:g}" for side in piece.size_mm) + " cm" if piece.size_mm else ""
