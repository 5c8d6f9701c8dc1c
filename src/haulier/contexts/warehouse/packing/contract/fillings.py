"""What goes in and out of the catalogue of filling material."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.packing.contract.cartons import COST_MAX_MINOR, SHIPPING
from haulier.contexts.warehouse.warehouses.contract import WarehouseCode
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

UNIT_MAX_MM3, UNIT_MAX_G, CUSHION_MAX_MM = 100_000_000, 100_000, 500

Cushion = Annotated[int, Field(ge=0, le=CUSHION_MAX_MM)]
"""Millimetres."""


class FillingTerms(Request):
    """What a filling is: paper, air cushions, chips. What it weighs and costs goes by the volume that it fills."""

    name: Name = Field(examples=["Air cushion"])
    """What people call it."""
    unit_mm3: int = Field(ge=1, le=UNIT_MAX_MM3, examples=[1_000_000])
    """The room that a unit of it fills, in cubic millimetres: a litre is 1,000,000."""
    unit_g: int = Field(default=0, ge=0, le=UNIT_MAX_G)
    """What a unit of it weighs, in grams."""
    unit_cost_minor: int = Field(default=0, ge=0, le=COST_MAX_MINOR)
    """What a unit of it costs, in minor units of the business's currency."""
    fragile_cushion_mm: Cushion = 0
    """How much of it lies around each fragile piece, on every side."""
    wall_cushion_mm: Cushion = 0
    """How much of it lies along the walls, the floor and the lid of each carton."""
    by_default: bool = False
    """Whether plans use it that name no other. Another one that did so no longer does."""
    active: bool = True
    """Whether plans may use it."""


class CreateFilling(FillingTerms):
    """A new filling."""

    code: WarehouseCode = Field(examples=["AIR"])
    """A short code, unique in the business."""


class FillingRef(Request):
    """Which filling."""

    filling_id: RecordId


class UpdateFilling(FillingTerms):
    """A filling as it shall be from now on: what is left out has its default."""

    filling_id: RecordId


class ListFillings(PageRequest):
    """Which fillings."""

    inactive: bool = False
    """Also those that plans may not use."""


class PackingFilling(Priced):
    """A filling."""

    id: int
    code: str
    name: str
    unit_mm3: Annotated[int, doc("The room that a unit of it fills, in cubic millimetres.")]
    unit_g: Annotated[int, doc("What a unit of it weighs.")]
    fragile_cushion_mm: Annotated[int, doc("How much lies around each fragile piece.")]
    wall_cushion_mm: Annotated[int, doc("How much lies along the walls, the floor and the lid.")]
    by_default: Annotated[bool, doc("Whether plans use it that name no other.")]
    active: Annotated[bool, doc("Whether plans may use it.")]
    created_at: datetime
    updated_at: datetime
    unit_cost_minor: Annotated[int | UnsetType, price(SHIPPING, "What a unit of it costs, in minor units.")] = UNSET


class FillingAnswer(Answer):
    """One filling."""

    result: bool = True
    filling: PackingFilling


class FillingList(PagedAnswer):
    """A page of fillings, by code."""

    fillings: list[PackingFilling]
