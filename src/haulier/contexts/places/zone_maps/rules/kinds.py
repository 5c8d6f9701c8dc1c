"""What zones are for."""

from enum import StrEnum


class ZoneRule(StrEnum):
    """What a zone means to quotes, to plans of routes and to people."""

    NONE = "none"
    """Nothing: it is only drawn."""
    SERVICE_AREA = "service_area"
    """Orders are delivered here; where a business has such zones, orders to anywhere else are refused."""
    NO_GO = "no_go"
    """Orders to here are refused, and those that are there already are left out of plans."""
    SURCHARGE = "surcharge"
    """Orders here cost more."""
    DRIVER_TERRITORY = "driver_territory"
    """Some drivers take orders here, and no others; where drivers have such zones, they take orders nowhere else."""
    DEPOT_CATCHMENT = "depot_catchment"
    """Orders here come from some depots, and from no others."""
