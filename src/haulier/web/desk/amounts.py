"""Typed amounts of forms that list records, one input for each record."""

from collections.abc import Iterable, Mapping

from babel import Locale
from msgspec import Struct

from haulier.kernel.values.money import currency_decimals
from haulier.web.desk.pages import DeskRequest
from haulier.web.kinds.numbers import InputFault
from haulier.web.kinds.reading import beside_input, read_value, typed_text
from haulier.web.kinds.table import ValueKind, kind_of


def _money_kind() -> ValueKind:
    found = kind_of("amount_minor", "integer")
    assert found is not None
    return found


MONEY = _money_kind()


class TypedAmounts(Struct, frozen=True):
    """Amounts of a form by record: texts as typed, amounts in minor units, and faults."""

    texts: dict[int, str]
    minor: dict[int, int]
    faults: dict[int, str]


class AmountStyle(Struct, frozen=True):
    """Notation of amounts that the script of a form reads and writes."""

    currency: str
    symbol: str
    decimals: int
    point: str
    """Decimal separator."""


def typed_amount(desk: DeskRequest, minor: int, currency: str) -> str:
    """Return an amount as the text of an input."""
    return typed_text(MONEY, minor, desk.habits, currency)


def read_amount(desk: DeskRequest, text: str, currency: str) -> int:
    """Return a typed amount in minor units. Raises `InputFault`."""
    return read_value(MONEY, text, desk.habits, currency)


def read_amounts(
    desk: DeskRequest, form: Mapping[str, str], prefix: str, ids: Iterable[int], currency: str
) -> TypedAmounts:
    """Return the amounts of a form, whose inputs are named by prefix and ID.

    Empty inputs and zero have no amount.
    """
    texts = {id: form.get(f"{prefix}{id}", "").strip() for id in ids}
    minor: dict[int, int] = {}
    faults: dict[int, str] = {}
    for id, text in texts.items():
        if not text:
            continue
        try:
            minor[id] = read_amount(desk, text, currency)
        except InputFault as fault:
            faults[id] = desk.say(fault.message_id, **fault.params)
    return TypedAmounts(texts, {id: value for id, value in minor.items() if value}, faults)


def suggested_amounts(desk: DeskRequest, minor: Mapping[int, int], ids: Iterable[int], currency: str) -> TypedAmounts:
    """Return suggested amounts as a form shows them."""
    given = {id: minor[id] for id in ids if id in minor}
    return TypedAmounts({id: typed_amount(desk, value, currency) for id, value in given.items()}, given, {})


def amount_style(desk: DeskRequest, currency: str) -> AmountStyle:
    """Return the notation of a currency for the reader."""
    point = str(Locale.parse(desk.habits.locale).number_symbols["latn"]["decimal"])
    return AmountStyle(currency, beside_input(MONEY, desk.habits, currency), currency_decimals(currency), point)
