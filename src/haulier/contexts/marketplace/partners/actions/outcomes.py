"""Outcomes of deliveries by a partner, for both businesses' orders."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from haulier.contexts.marketplace.partners.contract import ReportPartnerOrder
from haulier.contexts.marketplace.partners.rules import PartnerReport
from haulier.contexts.marketplace.partners.store import PartnerOfferRow
from haulier.contexts.orders.public import (
    OrderPiece,
    PieceLeft,
    PieceOutcome,
    find_piece_faults,
    list_order_pieces,
)
from haulier.contexts.otep.public import DeliveryOutcome, HandedTo, build_outcome
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


class PartnerDelivery(Struct, frozen=True):
    """Outcome of a delivery, with the pieces left in both businesses' orders."""

    outcome: DeliveryOutcome | None = None
    giver_left: Sequence[PieceLeft] = ()
    own_left: Sequence[PieceLeft] = ()


class _Pieces(Struct, frozen=True):
    giver: Sequence[OrderPiece]
    own: Sequence[OrderPiece]

    @property
    def positions(self) -> dict[str, int]:
        """The position of each piece by either tracking number."""
        return {piece.tracking_number: n for pieces in (self.giver, self.own) for n, piece in enumerate(pieces)}


async def get_reported_delivery(
    call: Call, giver: Call, offer: PartnerOfferRow, request: ReportPartnerOrder
) -> PartnerDelivery:
    """Return the delivery that a partner reports. Raises `INVALID_REQUEST`."""
    reported = request.outcome
    if reported is None:
        return PartnerDelivery()
    if request.report is not PartnerReport.DELIVERED:
        raise INVALID_REQUEST.for_fields(FieldError("outcome", "field.outcome_of_delivery"))
    if reported.handed_to is HandedTo.NEIGHBOUR and not request.recipient:
        raise INVALID_REQUEST.for_fields(FieldError("recipient", "field.recipient_needed"))
    outcome = build_outcome(reported.handed_to, request.recipient, reported.left_at)
    if not reported.pieces:
        return PartnerDelivery(outcome)
    pieces = await _load_pieces(call, giver, offer)
    known = pieces.positions
    barcodes = [piece.barcode.upper() for piece in reported.pieces]
    named = [pieces.giver[known[code]].tracking_number if code in known else code for code in barcodes]
    if faults := tuple(find_piece_faults(named, {piece.tracking_number for piece in pieces.giver})):
        raise INVALID_REQUEST.for_fields(*(FieldError(f"outcome.{fault.field}", fault.code) for fault in faults))
    left = {known[code]: PieceOutcome(piece.outcome) for code, piece in zip(barcodes, reported.pieces, strict=True)}
    return PartnerDelivery(outcome, _left(pieces.giver, left), _left(pieces.own, left))


async def get_givers_left_pieces(
    call: Call, giver: Call, offer: PartnerOfferRow, outcome: DeliveryOutcome
) -> Sequence[PieceLeft]:
    """Return the giver's pieces that were left, by the partner's outcome."""
    if not outcome.pieces or not outcome.pieces.left:
        return ()
    pieces = await _load_pieces(call, giver, offer)
    known = pieces.positions
    left = {
        known[each.tracking_number]: PieceOutcome(each.outcome)
        for each in outcome.pieces.left
        if each.tracking_number in known
    }
    return _left(pieces.giver, left)


async def _load_pieces(call: Call, giver: Call, offer: PartnerOfferRow) -> _Pieces:
    """Return the pieces of both orders, whose positions match."""
    own = await list_order_pieces(call, [offer.partner_order_id]) if offer.partner_order_id else []
    theirs = await list_order_pieces(giver, [offer.order_id])
    return _Pieces(theirs, own if len(own) == len(theirs) else [])


def _left(pieces: Sequence[OrderPiece], left: Mapping[int, PieceOutcome]) -> list[PieceLeft]:
    return [
        PieceLeft(id=piece.id, tracking_number=piece.tracking_number, outcome=left[n])
        for n, piece in enumerate(pieces)
        if n in left
    ]
