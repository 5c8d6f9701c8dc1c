"""The `roadef2022` instances: items from suppliers to plants in planned trucks.

Lengths are in millimetres and weights in grams, both rounded up for loads; the files use decimal commas.
"""

import csv
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import ROUND_CEILING, Decimal
from pathlib import Path

from msgspec import Struct

Route = tuple[str, str, str, str]
"""Supplier, supplier dock, plant, plant dock."""


class Item(Struct, frozen=True):
    """Equal items that may travel separately."""

    id: str
    route: Route
    product: str
    count: int
    size: tuple[int, int, int]
    weight_g: int
    nesting_mm: int
    """Reduction of its height on top of another item."""
    code: str
    """Only items with the same code are stacked."""
    forced: str
    """`lengthwise`, `widthwise` or `none`."""
    earliest: datetime
    latest: datetime
    inventory_cost: int
    """Cost per day before the latest arrival."""
    most_stacked: int
    """Maximum number of items in its stack."""


class Tractor(Struct, frozen=True):
    """Lengths and weights that determine axle loads, with the names in the files."""

    middle_limit_g: int
    rear_limit_g: int
    tractor_g: int
    """CM"""
    axles_apart: int
    """CJfm: from the front axle to the middle one."""
    centre: int
    """CJfc: from the front axle to the centre of gravity of the tractor."""
    king_pin: int
    """CJfh: from the front axle to the king pin."""
    trailer_g: int
    """EM"""
    base: int
    """EJhr: from the king pin to the rear axle of the trailer."""
    trailer_centre: int
    """EJcr: from the centre of gravity of the trailer to its rear axle."""
    overhang: int
    """EJeh: from the front wall to the king pin."""


class Truck(Struct, frozen=True):
    """A planned truck."""

    id: str
    inner: tuple[int, int, int]
    payload_g: int
    most_g_per_m2: int
    """Maximum weight of a stack per square metre of floor."""
    cost: int
    arrival: datetime
    tractor: Tractor
    orders: Mapping[Route, tuple[int, int, int]]
    """Loading order by route: supplier, supplier dock and plant dock."""
    bearing_g: Mapping[tuple[Route, str], int]
    """Maximum weight above the bottom item of a stack, by route and product. Other goods are not allowed."""

    def takes(self, item: Item) -> bool:
        """Return True if the truck takes the item within its time window."""
        return (item.route, item.product) in self.bearing_g and item.earliest <= self.arrival <= item.latest


class Instance(Struct, frozen=True):
    """Content of an instance folder."""

    items: tuple[Item, ...]
    trucks: tuple[Truck, ...]
    extra_cost: Decimal
    """Extra cost of an unplanned truck, as a share."""


def read_instance(folder: Path) -> Instance:
    """Read the items, trucks and parameters of a folder."""
    trucks: dict[str, list[dict[str, str]]] = {}
    for row in _rows(folder / "input_trucks.csv"):
        trucks.setdefault(row["Id truck"], []).append(row)
    parameters = next(_rows(folder / "input_parameters.csv"))
    return Instance(
        items=tuple(_item(number, row) for number, row in enumerate(_rows(folder / "input_items.csv"))),
        trucks=tuple(_truck(rows) for rows in trucks.values()),
        extra_cost=_decimal(parameters["Coefficient cost extra truck"]),
    )


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as file:
        yield from csv.DictReader(file, delimiter=";")


def _item(number: int, row: Mapping[str, str]) -> Item:
    return Item(
        id=f"{number}:{row['Item ident']}",
        route=_route(row),
        product=row["Product code"],
        count=int(row["Number of items"]),
        size=(_up(row["Length"]), _up(row["Width"]), _up(row["Height"])),
        weight_g=_up(row["Weight"], 1000),
        nesting_mm=int(_decimal(row["Nesting height"])),
        code=row["Stackability code"],
        forced=row["Forced orientation"],
        earliest=_moment(row["Earliest arrival time"]),
        latest=_moment(row["Latest arrival time"]),
        inventory_cost=int(row["Inventory cost"]),
        most_stacked=int(row["Max stackability"]),
    )


def _truck(rows: list[dict[str, str]]) -> Truck:
    one = rows[0]
    return Truck(
        id=one["Id truck"],
        inner=(int(one["Length"]), int(one["Width"]), int(one["Height"])),
        payload_g=_down(one["Max weight"], 1000),
        most_g_per_m2=_down(one["Max density"], 1000),
        cost=int(one["Cost"]),
        arrival=_moment(one["Arrival time"]),
        tractor=_tractor(one),
        orders={_route(row): _order(row) for row in rows},
        bearing_g={
            (_route(row), row["Product code"]): _down(row["Max weight on the bottom item in stacks"], 1000)
            for row in rows
        },
    )


def _tractor(row: Mapping[str, str]) -> Tractor:
    return Tractor(
        middle_limit_g=_down(row["EMmm"], 1000),
        rear_limit_g=_down(row["EMmr"], 1000),
        tractor_g=_up(row["CM"], 1000),
        axles_apart=int(row["CJfm"]),
        centre=int(row["CJfc"]),
        king_pin=int(row["CJfh"]),
        trailer_g=_up(row["EM"], 1000),
        base=int(row["EJhr"]),
        trailer_centre=int(row["EJcr"]),
        overhang=int(row["EJeh"]),
    )


def _route(row: Mapping[str, str]) -> Route:
    return row["Supplier code"], row["Supplier dock"], row["Plant code"], row["Plant dock"]


def _order(row: Mapping[str, str]) -> tuple[int, int, int]:
    supplier, dock, plant = "Supplier loading order", "Supplier dock loading order", "Plant dock loading order"
    return int(row[supplier]), int(row[dock]), int(row[plant])


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%d%H%M")  # noqa: DTZ007 - the files name no time zone


def _decimal(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def _up(text: str, factor: int = 1) -> int:
    return int((_decimal(text) * factor).to_integral_value(ROUND_CEILING))


def _down(text: str, factor: int = 1) -> int:
    return int(_decimal(text) * factor)
