"""Request and response models for reports of stock."""

from datetime import date
from typing import Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.warehouse.reports.rules import AbcClass, AbcMeasure
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class GetAbcReport(PageRequest):
    """Movements to include, and class limits."""

    date_from: Day | None = None
    """First day in the business's time zone. Defaults to 89 days before the last day."""
    date_to: Day | None = None
    """Last day. Defaults to today. A period has at most 366 days."""
    warehouse_id: RecordId | None = None
    """Filter by warehouse of departure."""
    measure: AbcMeasure = AbcMeasure.MOVEMENTS
    """Ranking measure: movements, items or value."""
    a_percent: int = Field(default=80, ge=1, le=99)
    """Cumulative share up to which products are class A."""
    b_percent: int = Field(default=95, ge=1, le=100)
    """Cumulative share up to which products are class B. All others are class C. At least `a_percent`."""
    abc_class: AbcClass | None = None
    """Only products of this class."""
    format: Literal["csv"] | None = None
    """csv: all lines as one document, in addition. `Accept: text/csv` returns the document alone."""


class AbcLine(Answer):
    """A product, and what left of it."""

    rank: Annotated[int, doc("Rank from 1, highest outflow first.")]
    product_id: int
    sku: str
    name: str
    movements: Annotated[int, doc("Number of outgoing movements.")]
    pieces: int
    value_minor: Annotated[int, doc("Cost of these units; 0 if the product has no `unit_value_minor`.")]
    cumulative_share: Annotated[float | None, doc("Cumulative share up to this product; null without outflow.")]
    abc_class: AbcClass


class AbcClassTotal(Answer):
    """A class."""

    abc_class: AbcClass
    products: int
    movements: int
    pieces: int
    value_minor: int


class AbcReport(PagedAnswer):
    """Products by what left of them, most first."""

    date_from: date
    date_to: date
    measure: AbcMeasure
    currency: Annotated[str, doc("Share of the total value.")]
    lines: list[AbcLine]
    classes: Annotated[list[AbcClassTotal], doc("Totals of the classes A, B and C, on every page.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("Lines as CSV in base64, if `format` requests it.")] = UNSET


class GetStockAge(PageRequest):
    """Filters for stock age."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse. Stock is aged from its arrival there."""
    format: Literal["csv"] | None = None
    """csv: all lines as one document, in addition. `Accept: text/csv` returns the document alone."""


class StockOfAge(Answer):
    """Items in an age range."""

    from_days: int
    to_days: Annotated[int | None, doc("Upper limit in days, exclusive; null for the oldest.")]
    pieces: int
    value_minor: int


class StockAgeLine(Answer):
    """A product, and how long its items have been there."""

    product_id: int
    sku: str
    name: str
    on_hand: int
    value_minor: int
    ages: Annotated[list[StockOfAge], doc("Age groups, youngest first.")]


class StockAgeReport(PagedAnswer):
    """Products that are there, by SKU, and how long they have been."""

    currency: Annotated[str, doc("Share of the total value.")]
    lines: list[StockAgeLine]
    ages: Annotated[list[StockOfAge], doc("All products together, youngest first.")]
    media_type: str = "text/csv"
    document: Annotated[str | UnsetType, doc("All lines as CSV in base64, if `format` requests it.")] = UNSET
