"""Contractors and partners: the standby queue, and orders of partners."""

from haulier.contexts.marketplace.public import BoardStandbyQueue, HoldsOfPartners, RatesOfPartners
from haulier.contexts.orders.ports import PartnerHolds, PartnerRates
from haulier.contexts.routes.ports import StandbyQueue
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    return {StandbyQueue: BoardStandbyQueue(), PartnerHolds: HoldsOfPartners(), PartnerRates: RatesOfPartners()}


PART = Part(adapters=_adapters)
