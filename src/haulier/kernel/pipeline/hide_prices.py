"""Removal of hidden prices from answers by type.

Removes marked fields of hidden families, and sums of prices. The paths to priced records are computed once per answer
type, so answers without prices cost nothing.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import UNSET, Meta, Struct
from pydantic import BaseModel

from haulier.kernel.operations.answers import SUMS_PRICE, Priced
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import PRICE_HIDDEN, FieldError
from haulier.kernel.operations.fields import ComparesPrice

PriceHider = Callable[[Any, frozenset[PriceFamily]], None]


def hide_prices(answer: Struct, hidden: frozenset[PriceFamily]) -> None:
    """Remove all prices of the hidden families and set `price_hidden`."""
    if hidden and (step := hiding_plan(type(answer))):
        step(answer, hidden)


def require_price_visible(hidden: frozenset[PriceFamily], family: PriceFamily) -> None:
    """Raise `PRICE_HIDDEN` if a caller who cannot see a price tries to pay it online."""
    if family in hidden:
        raise PRICE_HIDDEN(family=family.value)


def require_no_price_comparison(request: BaseModel, hidden: frozenset[PriceFamily]) -> None:
    """Raise `PRICE_HIDDEN` for an input that is compared with hidden prices."""
    for name, family in price_comparisons(type(request)).items():
        if family in hidden and getattr(request, name) is not None:
            raise PRICE_HIDDEN.for_fields(FieldError(name, PRICE_HIDDEN.id), family=family.value)


@lru_cache(maxsize=4096)
def price_comparisons(kind: type[BaseModel]) -> dict[str, PriceFamily]:
    """Return the inputs of a request that are compared with prices, by price family."""
    marks = ((name, mark) for name, field in kind.model_fields.items() for mark in field.metadata)
    return {name: mark.family for name, mark in marks if isinstance(mark, ComparesPrice)}


def sum_fields(kind: type[Struct]) -> set[str]:
    """Return the fields of a record that are sums of prices."""
    hints = get_type_hints(kind, include_extras=True)
    return {name for name, hint in hints.items() if _sums_price(hint)}


def _sums_price(hint: Any) -> bool:
    marks = hint.__metadata__ if get_origin(hint) is Annotated else ()
    return any(isinstance(mark, Meta) and bool(mark.extra) and SUMS_PRICE in mark.extra for mark in marks)


def price_fields(kind: type[Struct]) -> dict[str, str]:
    """Return a record's price fields with their family, or the field naming it."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: family for name, hint in hints.items() for family in _price_families(hint)}


def _price_families(hint: Any) -> Iterator[str]:
    if get_origin(hint) is Annotated:
        for extra in hint.__metadata__:
            if isinstance(extra, Meta) and extra.extra and "price" in extra.extra:
                yield extra.extra["price"]
    for part in get_args(hint):
        yield from _price_families(part)


@lru_cache(maxsize=4096)
def hiding_plan(kind: type[Struct]) -> PriceHider | None:
    """Return a function that hides prices in a record type, or None.

    Records may nest, not recurse.
    """
    prices, sums = price_fields(kind), sum_fields(kind)
    if (prices or sums) and not issubclass(kind, Priced):
        raise TypeError(f"{kind.__name__} has price fields, so it must extend Priced")
    hints = get_type_hints(kind)
    plans = [(name, hiding_plan(record)) for name, hint in hints.items() for record in _record_types(hint)]
    inner = [(name, plan) for name, plan in plans if plan]
    if not prices and not sums and not inner:
        return None

    def step(record: Any, hidden: frozenset[PriceFamily]) -> None:
        if not isinstance(record, kind):
            return
        for name, family in prices.items():
            if getattr(record, family, family) in hidden:
                setattr(record, name, UNSET)
                record.price_hidden = True  # type: ignore[attr-defined]
        for name in sums:
            if getattr(record, name) is not UNSET:
                setattr(record, name, UNSET)
                record.price_hidden = True  # type: ignore[attr-defined]
        for name, step in inner:
            _hide_in_value(getattr(record, name), step, hidden)

    return step


def _hide_in_value(value: Any, step: PriceHider, hidden: frozenset[PriceFamily]) -> None:
    if isinstance(value, list | tuple):
        for item in value:
            _hide_in_value(item, step, hidden)
    elif isinstance(value, dict):
        for item in value.values():
            _hide_in_value(item, step, hidden)
    else:
        step(value, hidden)


def _record_types(hint: Any) -> Iterator[type[Struct]]:
    if isinstance(hint, type) and issubclass(hint, Struct):
        yield hint
    elif get_origin(hint) in (Union, UnionType, list, tuple, dict, Annotated):
        for part in get_args(hint):
            yield from _record_types(part)
