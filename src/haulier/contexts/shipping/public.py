"""What others may use of shipping: the tariff of the house carrier, for its adapter."""

from haulier.contexts.shipping.accounts.contract.tariffs import START_TARIFF, HouseTariff
from haulier.contexts.shipping.accounts.rules.accounts import CURRENCY, HOUSE, TARIFF
from haulier.contexts.shipping.accounts.rules.tariffs import rate_shipment

__all__ = ["CURRENCY", "HOUSE", "START_TARIFF", "TARIFF", "HouseTariff", "rate_shipment"]
