"""Reports of stock as answers and as CSV documents."""

from base64 import b64encode
from collections.abc import Sequence

from haulier.contexts.warehouse.reports.contract import AbcClassTotal, AbcLine, StockAgeLine, StockOfAge
from haulier.contexts.warehouse.reports.rules import AGE_LIMITS_DAYS, AbcClass, AbcMeasure, abc_classes, pieces_by_age
from haulier.contexts.warehouse.reports.store import HeldRow, LeftRow
from haulier.kernel.values.csv_text import csv_text

ABC_COLUMNS = (
    *("rank", "sku", "name", "movements", "pieces", "value_minor", "cumulative_share", "abc_class"),
    *("product_id",),
)
AGES = tuple(zip((0, *AGE_LIMITS_DAYS), (*AGE_LIMITS_DAYS, None), strict=True))


def abc_lines(rows: Sequence[LeftRow], measure: AbcMeasure, a_percent: int, b_percent: int) -> list[AbcLine]:
    """Return products by what left of them, most first, each with its class."""
    amounts = {row.id: _amount(row, measure) for row in rows}
    ranked = sorted(rows, key=lambda row: (-amounts[row.id], row.sku))
    whole = sum(amounts.values())
    classes = abc_classes([amounts[row.id] for row in ranked], a_percent, b_percent)
    return [
        AbcLine(
            rank=rank,
            product_id=row.id,
            sku=row.sku,
            name=row.name,
            movements=row.movements,
            pieces=int(row.pieces),
            value_minor=_amount(row, AbcMeasure.VALUE),
            cumulative_share=round(until / whole, 4) if whole else None,
            abc_class=abc_class,
        )
        for rank, (row, (abc_class, until)) in enumerate(zip(ranked, classes, strict=True), 1)
    ]


def _amount(row: LeftRow, measure: AbcMeasure) -> int:
    match measure:
        case AbcMeasure.MOVEMENTS:
            return row.movements
        case AbcMeasure.PIECES:
            return int(row.pieces)
        case AbcMeasure.VALUE:
            return int(row.pieces) * (row.unit_value_minor or 0)


def class_totals(lines: Sequence[AbcLine]) -> list[AbcClassTotal]:
    """Return the totals of each class."""
    by_class = {each: [line for line in lines if line.abc_class is each] for each in AbcClass}
    return [
        AbcClassTotal(
            abc_class=each,
            products=len(of_class),
            movements=sum(line.movements for line in of_class),
            pieces=sum(line.pieces for line in of_class),
            value_minor=sum(line.value_minor for line in of_class),
        )
        for each, of_class in by_class.items()
    ]


def age_line(row: HeldRow, came: Sequence[int]) -> StockAgeLine:
    """Return a product that is there, and how long its items have been."""
    unit, on_hand = row.unit_value_minor or 0, int(row.on_hand)
    return StockAgeLine(
        product_id=row.id,
        sku=row.sku,
        name=row.name,
        on_hand=on_hand,
        value_minor=on_hand * unit,
        ages=[
            StockOfAge(from_days=first, to_days=last, pieces=pieces, value_minor=pieces * unit)
            for (first, last), pieces in zip(AGES, pieces_by_age(on_hand, came), strict=True)
        ],
    )


def age_totals(lines: Sequence[StockAgeLine]) -> list[StockOfAge]:
    """Return all products together."""
    return [
        StockOfAge(
            from_days=first,
            to_days=last,
            pieces=sum(line.ages[at].pieces for line in lines),
            value_minor=sum(line.ages[at].value_minor for line in lines),
        )
        for at, (first, last) in enumerate(AGES)
    ]


def abc_csv(lines: Sequence[AbcLine]) -> str:
    """Return lines as a CSV document, in base64."""
    return _base64(csv_text(ABC_COLUMNS, [[getattr(line, name) for name in ABC_COLUMNS] for line in lines]))


def age_csv(lines: Sequence[StockAgeLine]) -> str:
    """Return lines as a CSV document, in base64."""
    ages = [f"pieces_{first}_{'' if last is None else last}".rstrip("_") for first, last in AGES]
    rows = [[line.sku, line.name, line.on_hand, line.value_minor, *(age.pieces for age in line.ages)] for line in lines]
    return _base64(csv_text(("sku", "name", "on_hand", "value_minor", *ages), rows))


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()
