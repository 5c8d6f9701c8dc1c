"""Public interface of freight: the freight shipments of orders."""

from haulier.contexts.freight.shipments.queries import FreightOfOrders

__all__ = ["FreightOfOrders"]
