"""Shipping: carriers, scans, shipments of orders, and shipping orders."""

from haulier.adapters.carriers.directory import Carriers
from haulier.adapters.carriers.remote import remote_carriers
from haulier.adapters.carriers.simulated import SimulatedCarriers
from haulier.adapters.carriers.stored_scans import CarrierScanReader
from haulier.contexts.freight.public import FreightOfOrders
from haulier.contexts.orders.ports import OrderFreight, OrderShipments
from haulier.contexts.shipping.ports import CarrierDirectory
from haulier.contexts.shipping.public import PAYABLES, ShipmentsOfOrders
from haulier.contexts.shipping.uniorder.queries import KnownUniorderClients
from haulier.contexts.tracking.ports import StoredScanReader
from haulier.parts import Adapters, Part, Shared


def _adapters(shared: Shared) -> Adapters:
    simulator = shared.settings.carrier_simulator
    carriers = Carriers(lambda: remote_carriers(simulator, reader=shared.file_readers))
    return {
        CarrierDirectory: carriers,
        OrderShipments: ShipmentsOfOrders(),
        OrderFreight: FreightOfOrders(),
        StoredScanReader: CarrierScanReader(),
    }


def _simulated(shared: Shared, adapters: Adapters) -> Adapters:
    return {CarrierDirectory: SimulatedCarriers(adapters[CarrierDirectory])}


PART = Part(adapters=_adapters, simulated=_simulated, memories=(KnownUniorderClients,), payables=PAYABLES)
