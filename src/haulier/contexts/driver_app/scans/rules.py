"""Rules for classifying a scanned code by its route and stop."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from haulier.contexts.routes.routes.contract import LoadingShortage


class ScanResult(StrEnum):
    """Classification of a scanned code.

    Drivers see no details of orders on other routes.
    """

    MATCHED = "matched"
    ALREADY_SCANNED = "already_scanned"
    OTHER_STOP = "other_stop"
    OTHER_ROUTE = "other_route"
    NOT_ON_A_ROUTE = "not_on_a_route"
    UNKNOWN = "unknown"


def classify_scan(
    found: Collection[int],
    *,
    on_route: Collection[int],
    on_others: Collection[int],
    at_stop: int | None,
    scanned: Collection[tuple[int, int | None]],
    pieces: Mapping[int, int | None],
) -> tuple[ScanResult, int | None]:
    """The result of a scan, and the order where it is one of this route.

    `found` are the orders with this code, `on_route` those of this route, `on_others` those of other routes. `at_stop` is
    the order of the stop where the code was scanned. `pieces` are the pieces that the code names, by order; `scanned` are the
    orders and pieces scanned before at the same stop.
    """
    matching = sorted(set(found) & set(on_route))
    if not matching:
        return (
            (ScanResult.OTHER_ROUTE, None)
            if set(found) & set(on_others)
            else (ScanResult.NOT_ON_A_ROUTE if found else ScanResult.UNKNOWN, None)
        )
    order_id = at_stop if at_stop in matching else matching[0]
    if at_stop is not None and order_id != at_stop:
        return ScanResult.OTHER_STOP, order_id
    repeated = (order_id, pieces.get(order_id)) in scanned
    return (ScanResult.ALREADY_SCANNED if repeated else ScanResult.MATCHED), order_id


def find_shortages(pieces: Iterable[tuple[int, int, str]], scanned: Collection[int | None]) -> list[LoadingShortage]:
    """Return the orders with unscanned packages.

    Packages are given by order, id and barcode, and keep their sequence.
    """
    of_orders: dict[int, list[tuple[int, str]]] = {}
    for order_id, piece_id, barcode in pieces:
        of_orders.setdefault(order_id, []).append((piece_id, barcode))
    missing = {
        order_id: [barcode for piece_id, barcode in mine if piece_id not in scanned]
        for order_id, mine in of_orders.items()
    }
    return [
        LoadingShortage(
            order_id=order_id,
            expected=len(of_orders[order_id]),
            loaded=len(of_orders[order_id]) - len(barcodes),
            missing=barcodes,
        )
        for order_id, barcodes in missing.items()
        if barcodes
    ]


def piece_named(code: str, piece_numbers: Mapping[int, str]) -> int | None:
    """Return the package that a code names.

    By its number, or by any name of an order with a single package.
    """
    for piece_id, number in piece_numbers.items():
        if number == code.strip().upper():
            return piece_id
    return next(iter(piece_numbers)) if len(piece_numbers) == 1 else None
