"""Charges of customers are posted with their service, reference and taxes."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from msgspec import Struct
from pydantic import BaseModel

import haulier
from haulier.app import registry
from haulier.kernel.operations.resources import snake_case

ROOT = Path(haulier.__file__).parent
CHARGED_BY = {
    "contexts/billing/payment_allocations": "contexts/billing/invoices",
    "contexts/freight/claims": "contexts/freight/shipments",
    "contexts/lockers/sites": "contexts/lockers/parcels",
    "contexts/lockers/stored": "contexts/lockers/parcels",
    "contexts/orders/delivery_orders": "contexts/orders/order_charges",
    "contexts/orders/fulfilments": "contexts/orders/order_charges",
    "contexts/orders/order_returns": "contexts/orders/order_charges",
    "contexts/orders/pickups": "contexts/orders/order_charges",
    "contexts/orders/quotes": "contexts/orders/order_charges",
    "contexts/orders/redelivery": "contexts/orders/order_charges",
    "contexts/shipping/order_shipments": "contexts/shipping/labels",
    "contexts/shipping/ship_jobs": "contexts/shipping/labels",
    "contexts/shipping/uniorder": "contexts/shipping/labels",
}
"""Families whose prices another family charges."""
NOT_CHARGED = {
    "contexts/control_tower/overview": "sums of prices that other families charge",
    "contexts/marketplace/partners": "fees between businesses, which are not customers of each other",
    "contexts/messaging/campaigns": "price of an SMS at the provider, for a budget",
    "contexts/payments/online_payments": "payments of records that their families charge",
    "contexts/payments/payment_links": "payments of records that their families charge",
    "contexts/planning/builds": "value of a plan in the search for a better one",
    "contexts/shipping/accounts": "tariffs and markups of the business, from which labels are priced",
    "contexts/warehouse/load_plans": "costs of load spaces to the business",
    "contexts/warehouse/packing": "costs of boxes to the business",
    "contexts/warehouse/plan_searches": "costs of boxes to the business",
}
"""Families whose prices are not charged to customers, and the reason."""
POSTED_BY = {"charge", "capture_hold"}
PRICE = re.compile(r"(^|_)(price|fee|shipping_price)(_minor|_amount)?$")


def charging_calls(folder: Path) -> Iterator[ast.Call]:
    """Yield the calls that charge a customer in a folder."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in POSTED_BY:
                yield node


def has_details(call: ast.Call) -> bool:
    return any(keyword.arg == "line" for keyword in call.keywords)


@cache
def posts_with_details(family: str) -> bool:
    return any(map(has_details, charging_calls(ROOT / family)))


def price_names(kind: Any, seen: set[Any]) -> Iterator[str]:
    """Yield the price fields of a type, at any depth."""
    for part in get_args(kind):
        yield from price_names(part, seen)
    if not isinstance(kind, type) or kind in seen or not issubclass(kind, BaseModel | Struct):
        return
    seen.add(kind)
    hints = get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        marks = [each.extra or {} for each in getattr(hint, "__metadata__", ()) if hasattr(each, "extra")]
        if PRICE.search(snake_case(name)) or any("price" in mark for mark in marks):
            yield f"{kind.__name__}.{name}"
        yield from price_names(hint, seen)


@cache
def families_with_prices() -> dict[str, set[str]]:
    """Return the families whose operations answer with prices, each with those fields."""
    found: dict[str, set[str]] = {}
    for operation in registry():
        module = operation.handler.__module__.split(".")
        if names := set(price_names(operation.answer, set())):
            found.setdefault("/".join(module[1:4]), set()).update(names)
    return found


@pytest.mark.parametrize("family", sorted(families_with_prices().keys() - NOT_CHARGED.keys()))
def test_a_family_that_charges_prices_posts_details(family: str) -> None:
    assert posts_with_details(CHARGED_BY.get(family, family)), sorted(families_with_prices()[family])


def test_every_customer_charge_has_details() -> None:
    assert [ast.unparse(call) for call in charging_calls(ROOT / "contexts") if not has_details(call)] == []


def test_exempt_families_have_prices_and_post_no_charges() -> None:
    excused = CHARGED_BY.keys() | NOT_CHARGED.keys()
    assert {family for family in excused if posts_with_details(family)} == set()
    assert excused - families_with_prices().keys() == set()
