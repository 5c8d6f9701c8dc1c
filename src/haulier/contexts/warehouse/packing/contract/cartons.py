"""Request and response models of packing: cartons."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.products.contract import LENGTH_MAX_MM, WEIGHT_MAX_G
from haulier.contexts.warehouse.warehouses.contract import WarehouseCode
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

COST_MAX_MINOR, STOCK_MAX = 1_000_000_000, 1_000_000
SHIPPING = PriceFamily.SHIPPING_SERVICE

Length = Annotated[int, Field(ge=1, le=LENGTH_MAX_MM)]
"""Millimetres."""


class CartonTerms(Request):
    """Properties of a carton. Lengths in millimetres; round inner down, outer up."""

    name: Name = Field(examples=["Medium, double wall"])
    """Display name."""
    inner_length_mm: Length = Field(examples=[300])
    """Length inside, in millimetres."""
    inner_width_mm: Length = Field(examples=[250])
    """Width inside."""
    inner_height_mm: Length = Field(examples=[200])
    """Height inside."""
    outer_length_mm: Length = Field(examples=[308])
    """Length outside, at least as long as inside."""
    outer_width_mm: Length = Field(examples=[258])
    """Width outside."""
    outer_height_mm: Length = Field(examples=[208])
    """Height outside."""
    tare_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Empty weight in grams."""
    payload_g: int = Field(ge=1, le=WEIGHT_MAX_G, examples=[20_000])
    """Maximum weight of the contents in grams, without the tare."""
    cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """Unit cost in minor units of the business's currency. Decides between choices of equal volume and number."""
    stock: int | None = Field(default=None, ge=0, le=STOCK_MAX)
    """Number available, or null if unlimited."""
    active: bool = True
    """If true, plans can use the space."""


class CreateCarton(CartonTerms):
    """A new kind of carton."""

    code: WarehouseCode = Field(examples=["M1"])
    """A short code, unique in the business."""


class CartonRef(Request):
    """Reference to a kind of carton."""

    carton_id: RecordId


class UpdateCarton(CartonTerms):
    """New values for a kind of carton. Omitted fields are reset to their defaults."""

    carton_id: RecordId


class ListCartons(PageRequest):
    """Filters for kinds of cartons."""

    inactive: bool = False
    """If true, include those that plans cannot use."""


class Carton(Priced):
    """A kind of carton. Lengths are in millimetres."""

    id: int
    code: str
    name: str
    inner_length_mm: int
    inner_width_mm: int
    inner_height_mm: int
    outer_length_mm: int
    outer_width_mm: int
    outer_height_mm: int
    tare_g: Annotated[int, doc("Empty weight in grams.")]
    payload_g: Annotated[int, doc("Maximum weight of the contents in grams.")]
    stock: Annotated[int | None, doc("Number available, or null if unlimited.")]
    active: Annotated[bool, doc("If true, plans can use the space.")]
    created_at: datetime
    updated_at: datetime
    cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Cost per item, in minor units.")] = UNSET


class CartonAnswer(Answer):
    """One kind of carton."""

    result: bool = True
    carton: Carton


class CartonList(PagedAnswer):
    """A page of kinds of cartons, by code."""

    cartons: list[Carton]


UNIT_MAX_MM3, UNIT_MAX_G, CUSHION_MAX_MM = 100_000_000, 100_000, 500

Cushion = Annotated[int, Field(ge=0, le=CUSHION_MAX_MM)]
"""Millimetres."""


class FillingTerms(Request):
    """Properties of a filling, such as paper or air cushions.

    Weight and cost go by volume.
    """

    name: Name = Field(examples=["Air cushion"])
    """Display name."""
    unit_mm3: int = Field(ge=1, le=UNIT_MAX_MM3, examples=[1_000_000])
    """Volume of one unit in cubic millimetres. One litre is 1,000,000."""
    unit_g: int = Field(default=0, ge=0, le=UNIT_MAX_G)
    """Weight of one unit in grams."""
    unit_cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """Cost of one unit in minor units of the business's currency."""
    fragile_cushion_mm: Cushion = 0
    """Thickness around each fragile item, on every side, in millimetres."""
    wall_cushion_mm: Cushion = 0
    """Thickness along the walls, floor and lid of each carton, in millimetres."""
    by_default: bool = False
    """If true, plans without a filling use this one. It replaces the previous default."""
    active: bool = True
    """If true, plans can use the space."""


class CreateFilling(FillingTerms):
    """A new filling."""

    code: WarehouseCode = Field(examples=["AIR"])
    """A short code, unique in the business."""


class FillingRef(Request):
    """Reference to a filling."""

    filling_id: RecordId


class UpdateFilling(FillingTerms):
    """New values for a filling. Omitted fields are reset to their defaults."""

    filling_id: RecordId


class ListFillings(PageRequest):
    """Filters for fillings."""

    inactive: bool = False
    """If true, include those that plans cannot use."""


class PackingFilling(Priced):
    """A filling."""

    id: int
    code: str
    name: str
    unit_mm3: Annotated[int, doc("Volume that a unit fills, in cubic millimetres.")]
    unit_g: Annotated[int, doc("Weight of one unit in grams.")]
    fragile_cushion_mm: Annotated[int, doc("Thickness around each fragile item, in millimetres.")]
    wall_cushion_mm: Annotated[int, doc("Thickness along the walls, floor and lid, in millimetres.")]
    by_default: Annotated[bool, doc("True if plans without a filling use this one.")]
    active: Annotated[bool, doc("If true, plans can use the space.")]
    created_at: datetime
    updated_at: datetime
    unit_cost_minor: Annotated[int | UnsetType, price(SHIPPING, "Cost per unit, in minor units.")] = UNSET


class FillingAnswer(Answer):
    """One filling."""

    result: bool = True
    filling: PackingFilling


class FillingList(PagedAnswer):
    """A page of fillings, by code."""

    fillings: list[PackingFilling]
