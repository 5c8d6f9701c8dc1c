"""Reads of the freight tariff for other families."""

from haulier.contexts.billing.public import ServicePrice
from haulier.contexts.freight.tariffs import store
from haulier.contexts.freight.tariffs.contract import SetFreightTariff
from haulier.contexts.freight.tariffs.rules import (
    FREIGHT_TARIFF_MISSING,
    FreightRateZone,
    RatedGoods,
    TariffTerms,
    WeightRate,
    price_freight,
)
from haulier.kernel.call import Call


async def find_policy(call: Call) -> SetFreightTariff | None:
    """Return the tariff as staff set it, or None."""
    row = await store.get_tariff_row(call.work)
    return SetFreightTariff.model_validate(row.terms) if row else None


async def price_goods(call: Call, goods: RatedGoods) -> ServicePrice:
    """Return the price of a shipment by the tariff.

    Raises `FREIGHT_TARIFF_MISSING`, `FREIGHT_OUT_OF_AREA` and `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    tariff = await find_policy(call)
    if tariff is None:
        raise FREIGHT_TARIFF_MISSING()
    return price_freight(read_terms(tariff), call.business.currency, goods)


def read_terms(tariff: SetFreightTariff) -> TariffTerms:
    """Return the terms of a tariff by which shipments are priced."""
    rates = {rate.from_g: rate.rate_minor for rate in tariff.rates}
    return TariffTerms(
        rate_weight_g=tariff.rate_weight_g,
        rates=[WeightRate(from_g, rate) for from_g, rate in sorted(rates.items())],
        class_basis_points={each.freight_class.value: each.rate_basis_points for each in tariff.class_shares},
        zones=[
            FreightRateZone(each.name, each.countries, each.postal_prefixes, each.rate_basis_points)
            for each in tariff.zones
        ],
        minimum_minor=tariff.minimum_minor,
        fuel_basis_points=tariff.fuel_basis_points,
        accessorial_minor={each.accessorial.value: each.amount_minor for each in tariff.accessorials},
        hazardous_minor=tariff.hazardous_minor,
        value_basis_points=tariff.value_basis_points,
    )
