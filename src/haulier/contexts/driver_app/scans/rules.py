"""The classification of a scanned code, for the route and the stop where it was scanned."""

from collections.abc import Collection
from enum import StrEnum


class ScanResult(StrEnum):
    """What a scanned code is. About an order of another route, or of none, the driver learns nothing else."""

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
    scanned: Collection[int],
) -> tuple[ScanResult, int | None]:
    """The result of a scan, and the order where it is one of this route.

    `found` are the orders with this code, `on_route` those of this route, `on_others` those of other routes. `at_stop` is
    the order of the stop where the code was scanned; `scanned` are the orders scanned before at the same stop.
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
    return (ScanResult.ALREADY_SCANNED if order_id in scanned else ScanResult.MATCHED), order_id
