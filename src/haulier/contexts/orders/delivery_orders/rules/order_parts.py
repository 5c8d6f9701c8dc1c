"""Rules of delivery orders: dividing an order into parts, and joining them."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.rules.items import Line, goods_value

Price = Mapping[str, Any]


def divide_lines(lines: Sequence[Line], taken: Mapping[int, int]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the lines that stay and those that are taken out, by number from 1."""
    left = [{**line, "quantity": line["quantity"] - taken.get(number, 0)} for number, line in enumerate(lines, 1)]
    out = [{**line, "quantity": taken[number]} for number, line in enumerate(lines, 1) if taken.get(number)]
    return [line for line in left if line["quantity"]], out


def join_lines(lines: Sequence[Line], added: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the lines of two parts; equal lines become one."""
    joined = [dict(line) for line in lines]
    for line in added:
        same = next((each for each in joined if _kind(each) == _kind(line)), None)
        if same is None:
            joined.append(dict(line))
        else:
            same["quantity"] += line["quantity"]
    return joined


def _kind(line: Line) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != "quantity"}


def find_share(lines: Sequence[Line], part: Sequence[Line]) -> tuple[int, int]:
    """Return the weights of a part and of the whole: goods value, or units without it."""
    whole = goods_value(lines)
    if whole:
        return goods_value(part) or 0, whole
    return sum(line["quantity"] for line in part), sum(line["quantity"] for line in lines)


def divide_amount(amount: int, share: tuple[int, int]) -> tuple[int, int]:
    """Return what stays of an amount and what goes with the part; together the amount."""
    part, whole = share
    taken = amount * part // whole
    return amount - taken, taken


def divide_price(price: Price, share: tuple[int, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the price that stays and that of the part; together they are the price.

    Prices without a total are the same for both.
    """
    if "total" not in price:
        return dict(price), dict(price)
    left, out = {**price, "lines": []}, {**price, "lines": []}
    for line in price.get("lines", ()):
        halves = {name: divide_amount(line[name], share) for name in ("amount", "tax") if name in line}
        for at, target in enumerate((left, out)):
            target["lines"].append({**line, **{name: half[at] for name, half in halves.items()}})
    left["tax"], tax = divide_amount(price.get("tax", 0), share)
    out["tax"] = tax
    out["total"] = sum(line["amount"] for line in out["lines"]) + tax
    left["total"] = price["total"] - out["total"]
    return left, out


def join_prices(first: Price, second: Price) -> dict[str, Any]:
    """Return the sum of the prices of two parts, line by line."""
    if "total" not in first or "total" not in second:
        return dict(first)
    lines = [dict(line) for line in first.get("lines", ())]
    for line in second.get("lines", ()):
        same = next((each for each in lines if each["code"] == line["code"]), None)
        if same is None:
            lines.append(dict(line))
            continue
        same |= {name: same.get(name, 0) + line[name] for name in ("amount", "tax") if name in line}
    sums = {name: first.get(name, 0) + second.get(name, 0) for name in ("tax", "total")}
    return {**first, **sums, "lines": lines}


def join_amounts(first: int | None, second: int | None) -> int | None:
    """Return the sum of two amounts, or None if neither is known."""
    return None if first is None and second is None else (first or 0) + (second or 0)
