"""Families that use postal codes compare prefixes in the same way."""

from collections.abc import Callable, Iterator
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter
from tests.contexts.marketplace.partners.makers import make_partnership, offer_orders
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App

from haulier.app import registry
from haulier.contexts.billing.services.contract import ServiceMeasures, ServicePricing
from haulier.contexts.billing.services.rules import price_of
from haulier.contexts.booking.reservations.contract import BookingPostalPrefixes
from haulier.contexts.fleet.shifts.contract import DriverZone
from haulier.contexts.freight.tariffs.contract import FreightZone
from haulier.contexts.freight.tariffs.rules import FreightRateZone, is_in_zone
from haulier.contexts.orders.quotes.rules import Haul, RateCard, find_rate_zone
from haulier.contexts.planning.builds.rules.requests import is_in_driver_zones
from haulier.contexts.routes.pools.contract import CreateContractorRule
from haulier.contexts.routes.pools.rules import ContractorRule, PoolOrder, rule_matches_order
from haulier.contexts.shipping.accounts.contract import START_TARIFF, CarrierTariff
from haulier.contexts.shipping.accounts.rules import find_zone
from haulier.contexts.shipping.ports import Party
from haulier.contexts.shipping.shipping_rules.contract import ShippingConditions
from haulier.contexts.shipping.shipping_rules.rules import ShippingFacts, meets_conditions
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.postal_codes import PostalPrefix, find_longest_postal_prefix

MATCHES = [
    ("009", "00-950"), ("00-9", "00950"), ("00 950", "00\u2011950"), ("m5v", "M5V 2T6"), ("M5V 2", "m5v2t6"),
    ("m-5", "M5V\u00a02T6"), ("SW1A", "sw1a 1aa"), ("10115", " 10115 "),
]  # fmt: skip
OTHERS = [("009", "09-500"), ("00-95", "00-9"), ("M5V", "M6K 1A1"), ("2T6", "M5V 2T6")]


def in_rate_card(prefix: str, code: str) -> bool:
    zone = {"code": "near", "up_to_m": 1, "base": 500, "postal_prefixes": [prefix]}
    service = {"code": "standard", "name": "Standard", "percent": 100}
    card = RateCard.model_validate({"zones": [zone], "services": [service]})
    return find_rate_zone(card, Haul(distance_m=10**6, weight_g=1, postal_code=code)) is not None


def in_service_zone(prefix: str, code: str) -> bool:
    zone = {"code": "city", "name": "City", "postal_prefixes": [prefix]}
    pricing = ServicePricing.model_validate({"zones": [zone]})
    try:
        price_of(pricing, "CAD", (), {}, ServiceMeasures(postal_code=code))
    except OperationError:
        return False
    return True


def in_tariff_zone(prefix: str, code: str) -> bool:
    zone = {"code": "city", "postal_prefixes": [prefix], "steps": [{"up_to_g": 1_000, "amount": 900}]}
    tariff = CarrierTariff.model_validate({**START_TARIFF.model_dump(), "zones": [zone]})
    return find_zone(tariff, Party("Ada", "1 Front St", "Toronto", "CA", postal_code=code)) is not None


def in_booking_zone(prefix: str, code: str) -> bool:
    prefixes = TypeAdapter(BookingPostalPrefixes).validate_python([prefix])
    return find_longest_postal_prefix(code, [(1, prefixes)]) == 1


def in_driver_zone(prefix: str, code: str) -> bool:
    zone = DriverZone.model_validate({"postal_prefixes": [prefix]})
    return is_in_driver_zones([zone.model_dump()], None, code)


def in_contractor_rule(prefix: str, code: str) -> bool:
    rule = CreateContractorRule.model_validate({"contractor_id": 1, "name": "West", "postal_prefixes": [prefix]})
    prefixes = frozenset(rule.postal_prefixes)
    order = PoolOrder(order_id=1, status="NEW_ORDER", postal_code=code)
    return rule_matches_order(ContractorRule(postal_prefixes=prefixes), order)


def in_shipping_rule(prefix: str, code: str) -> bool:
    conditions = ShippingConditions.model_validate({"postal_prefixes": [prefix]})
    return meets_conditions(conditions, ShippingFacts(postal_code=code))


def in_freight_zone(prefix: str, code: str) -> bool:
    zone = FreightZone.model_validate({"name": "West", "postal_prefixes": [prefix], "rate_basis_points": 10_000})
    return is_in_zone(FreightRateZone(zone.name, [], zone.postal_prefixes, zone.rate_basis_points), "CA", code)


FAMILIES: dict[str, Callable[[str, str], bool]] = {
    "orders.quotes": in_rate_card,
    "billing.services": in_service_zone,
    "shipping.accounts": in_tariff_zone,
    "shipping.shipping_rules": in_shipping_rule,
    "booking.reservations": in_booking_zone,
    "fleet.shifts": in_driver_zone,
    "routes.pools": in_contractor_rule,
    "freight.tariffs": in_freight_zone,
}
IN_STATEMENTS = {"marketplace.partners"}


def test_a_prefix_matches_the_same_codes_in_every_family() -> None:
    faults = [
        (family, prefix, code)
        for family, matches in FAMILIES.items()
        for expected, examples in ((True, MATCHES), (False, OTHERS))
        for prefix, code in examples
        if matches(prefix, code) is not expected
    ]
    assert faults == []


async def test_a_prefix_matches_the_same_codes_in_statements(app: App) -> None:
    codes = sorted({code for _, code in (*MATCHES, *OTHERS)})
    made = [
        (await app.answer("admin", "create_order", {"consignee": {**ADDRESS, "postal_code": code}})).order.id
        for code in codes
    ]
    offers = await offer_orders(app, await make_partnership(app), made)
    code_of = dict(zip(offers, codes, strict=True))
    for expected, examples in ((True, MATCHES), (False, OTHERS)):
        for prefix, code in examples:
            found = (await app.answer("rival", "list_partner_orders", {"postal_prefix": prefix})).partner_orders
            assert (code in {code_of[each.offer_id] for each in found}) is expected, (prefix, code)


async def test_prefixes_are_shown_normalized_and_once(app: App) -> None:
    asked = {"name": "Warsaw", "postal_prefixes": ["00-9", "009", "m5v 2", "M5V"]}
    zone = (await app.answer("admin", "create_booking_zone", asked)).zone
    assert zone.postal_prefixes == ["009", "M5V2", "M5V"]


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for each in get_args(annotation):
        yield from models(each)


def test_all_postal_prefix_fields_have_the_same_type() -> None:
    pattern = TypeAdapter(PostalPrefix).json_schema()["pattern"]
    found = {
        (model.__module__.removeprefix("haulier.contexts.").split(".contract")[0].split(".rules")[0], model, name)
        for operation in registry()
        for model in models(operation.request)
        for name in model.model_fields
        if name.startswith("postal_prefix")
    }
    other = [
        (model.__name__, name)
        for _, model, name in found
        if f"'pattern': {pattern!r}" not in str(model.model_json_schema()["properties"][name])
    ]
    assert other == []
    assert {family for family, _, _ in found} == {*FAMILIES, *IN_STATEMENTS}
