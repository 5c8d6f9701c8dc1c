"""Typed prices of the setup as a rate card, and the card as it would be typed."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from haulier.contexts.orders.quotes.rules import RateCard, RateService, RateZone
from haulier.kernel.values.money import currency_decimals
from haulier.web.desk.pages import DeskRequest
from haulier.web.kinds.numbers import InputFault, write_number
from haulier.web.kinds.reading import read_value
from haulier.web.kinds.table import MINOR, Kind, ValueKind
from haulier.web.kinds.units import typed_unit

MONEY, PERCENT = ValueKind(Kind.MONEY, MINOR), ValueKind(Kind.PERCENT, "bp")
DISTANCE = ValueKind(Kind.DISTANCE, "m")
ROWS = 4
EVERYWHERE_M = 5_000_000
"""Reach of a price for every distance: the largest of a rate card."""


class PriceForm:
    """Reads the typed prices. `faults` say what cannot be read."""

    def __init__(self, desk: DeskRequest, typed: Mapping[str, str]) -> None:
        self.desk, self.typed = desk, typed
        self.faults: dict[str, str] = {}

    def _read(self, kind: ValueKind, name: str) -> int | None:
        text = self.typed.get(name, "").strip()
        if not text:
            return None
        try:
            value = read_value(kind, text, self.desk.habits)
        except InputFault as fault:
            self.faults[name] = self.desk.say(fault.message_id, **fault.params)
            return None
        if value < 0:
            self.faults[name] = self.desk.say("set_up.price_negative")
            return None
        return value

    def _needed(self, kind: ValueKind, name: str) -> int:
        value = self._read(kind, name)
        if value is None and name not in self.faults:
            self.faults[name] = self.desk.say("field.missing")
        return value or 0

    def zones(self) -> list[RateZone]:
        """Return the zones of the chosen template."""
        how = self.typed.get("how", "flat")
        if how == "flat":
            return [_zone("flat", EVERYWHERE_M, self._needed(MONEY, "price"))]
        zones = list(self._distances() if how == "distance" else self._areas())
        first = "price_0" if how == "distance" else "area_price_0"
        if not zones and not self.faults:
            self.faults[first] = self.desk.say("field.missing")
        return zones

    def _distances(self) -> Iterator[RateZone]:
        reached = 0
        for row in range(ROWS):
            price = self._read(MONEY, f"price_{row}")
            if price is None:
                continue
            reach = self._needed(DISTANCE, f"up_to_{row}")
            if reach <= reached and f"up_to_{row}" not in self.faults:
                self.faults[f"up_to_{row}"] = self.desk.say("set_up.distances_grow")
            reached = max(reach, reached + 1)
            yield _zone(f"distance{row + 1}", min(reached, EVERYWHERE_M), price)

    def _areas(self) -> Iterator[RateZone]:
        for row in range(ROWS):
            codes = [code.strip() for code in self.typed.get(f"codes_{row}", "").split(",") if code.strip()]
            price = self._needed(MONEY, f"area_price_{row}") if codes else self._read(MONEY, f"area_price_{row}")
            if price is not None and not codes:
                self.faults[f"codes_{row}"] = self.desk.say("field.missing")
            elif codes:
                # No distance reaches these zones: only their postal codes do.
                yield _zone(f"area{row + 1}", row + 1, price or 0, codes)
        rest = self._read(MONEY, "area_rest")
        if rest is not None:
            yield _zone("rest", EVERYWHERE_M, rest)

    def card(self, origin: Mapping[str, Any]) -> RateCard | None:
        """Return the rate card, or None if something cannot be read."""
        zones, rate = self.zones(), self._read(PERCENT, "tax_rate") or 0
        if self.faults:
            return None
        name = self.typed.get("tax_name", "").strip()
        try:
            return RateCard(
                zones=zones,
                services=[RateService(code="standard", name=self.desk.say("set_up.standard"), percent=100)],
                per_extra_kg=0,
                tax_name=name or "Tax",
                tax_basis_points=rate,
                tax_included=bool(self.typed.get("tax_included")),
                origin_lat=origin.get("lat"),
                origin_lng=origin.get("lng"),
            )
        except ValidationError as fault:
            at = str(fault.errors()[0]["loc"][0]) if fault.errors()[0]["loc"] else ""
            self.faults["tax_rate" if at.startswith("tax") else "codes_0"] = self.desk.say("set_up.prices_unclear")
            return None


def _zone(code: str, up_to_m: int, base: int, prefixes: list[str] | None = None) -> RateZone:
    return RateZone(code=code, up_to_m=up_to_m, base=base, postal_prefixes=prefixes or [])


def is_of_template(card: Mapping[str, Any]) -> bool:
    """Return True if a rate card has no more than the templates can show."""
    return len(card["zones"]) <= ROWS + 1 and len(card["services"]) == 1 and not card.get("surcharges")


def typed_texts(desk: DeskRequest, card: Mapping[str, Any]) -> dict[str, str]:
    """Return a present card as it would be typed."""
    zones = card["zones"]
    bases = [money_text(desk, zone["base"]) for zone in zones]
    texts = {
        "tax_name": card["tax_name"] if card["tax_basis_points"] else "",
        "tax_rate": percent_text(desk, card["tax_basis_points"]),
        "tax_included": "yes" if card.get("tax_included") else "",
    }
    if len(zones) == 1 and zones[0]["up_to_m"] >= EVERYWHERE_M and not zones[0]["postal_prefixes"]:
        return {**texts, "how": "flat", "price": bases[0]}
    for row, (zone, base) in enumerate(zip(zones, bases, strict=True)):
        if zone["postal_prefixes"]:
            texts |= {f"codes_{row}": ", ".join(zone["postal_prefixes"]), f"area_price_{row}": base}
        elif any(each["postal_prefixes"] for each in zones):
            texts["area_rest"] = base
        else:
            reach = zone["up_to_m"] / float(typed_unit(DISTANCE, desk.session.country).size)
            texts |= {f"up_to_{row}": f"{reach:g}", f"price_{row}": base}
    return {**texts, "how": "postal" if any(zone["postal_prefixes"] for zone in zones) else "distance"}


def money_text(desk: DeskRequest, minor: int) -> str:
    """Return an amount as people type it."""
    digits = currency_decimals(desk.session.currency)
    return write_number(Decimal(minor) / 10**digits, desk.habits.locale, least=digits, most=digits)


def percent_text(desk: DeskRequest, basis_points: int) -> str:
    """Return a rate as people type it, empty for none."""
    return write_number(Decimal(basis_points) / 100, desk.habits.locale, most=2) if basis_points else ""
