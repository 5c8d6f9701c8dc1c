"""How far an advice is, and what a receipt does to its lines."""

from collections import Counter
from collections.abc import Iterable, Mapping

from haulier.contexts.warehouse.receiving.contract import StockAdviceState


def advice_state(lines: Iterable[tuple[int, int]], *, closed: bool) -> StockAdviceState:
    """By how many pieces each line expects, and how many came."""
    lines = list(lines)
    if closed:
        return StockAdviceState.CLOSED
    if not any(received for _, received in lines):
        return StockAdviceState.EXPECTED
    whole = all(received >= expected for expected, received in lines)
    return StockAdviceState.RECEIVED if whole else StockAdviceState.RECEIVING


def first_exceeded(came: Counter[int], open_pieces: Mapping[int, int]) -> int | None:
    """A product of which more came than is still expected, by its id."""
    return next((product for product in sorted(came) if came[product] > open_pieces.get(product, 0)), None)
