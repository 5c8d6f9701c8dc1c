"""Public interface of the marketplace."""

from haulier.contexts.marketplace.partners.queries import HoldsOfPartners, RatesOfPartners
from haulier.contexts.marketplace.route_board.actions import BoardStandbyQueue

__all__ = ["BoardStandbyQueue", "HoldsOfPartners", "RatesOfPartners"]
