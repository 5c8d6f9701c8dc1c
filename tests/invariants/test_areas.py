"""Operations are grouped by the areas of the interface, under exactly its names."""

import importlib
import re

from tests.support.descriptions import openapi
from tests.support.shared import shared

import haulier.contexts
from haulier.app import registry
from haulier.kernel.operations.declaration import Rest
from haulier.kernel.operations.enums import Area
from haulier.kernel.operations.registry import import_submodules

OURS = {
    *(Area.ORDERS, Area.APPROVALS, Area.AUDIT, Area.PRIVACY),
    *(Area.BILLING, Area.ANALYTICS, Area.WAREHOUSE, Area.OAUTH, Area.DEVELOPER_PORTAL),
}
SERVED = {
    "Broker Order Assignments",
    "User",
    "Driver",
    "Client",
    "Shipping",
    "AddressBook",
    "LabelService",
    "OCR",
    "DriverInfo",
    "Alliance",
    "Skills",
    "ReturnReasons",
    "Tracking",
    "Customer",
    "Warehouse Transfer",
    "Warehouse Mobile",
    "ThirdPartyDelivery",
    "InstantRider",
    "OTEP",
    "Webhooks",
    "Platform Apps",
    "Dataset",
    "POI",
    "Custom Maps",
    "Dispatch",
    "Reservations",
    "Driver Route Board",
    "Consolidation",
    "Order Chat",
    "Smart Locker",
    "Device Operations",
    "Locker Shop",
    "Locker Resale",
    "Locker Storage",
    "Documents",
    "Fleets",
    "Packing Plans",
    "Loading Planner",
    "Operations AI Agent",
    "SMS Marketing",
    "Device Orders",
    "Luggage Relay",
}
"""The areas of the interface that have operations today."""


def test_every_operation_with_a_path_has_an_area() -> None:
    assert [op.name for rest, op in registry().bindings(Rest) if not (rest.area or op.area)] == []


def test_an_area_is_named_at_a_path_only_where_it_differs_from_the_family() -> None:
    assert [op.name for rest, op in registry().bindings(Rest) if rest.area and rest.area is op.area] == []


def test_an_area_is_declared_only_by_families_with_paths() -> None:
    packages = {module.__name__ for module in import_submodules(haulier.contexts) if hasattr(module, "AREA")}
    families = {".".join(op.handler.__module__.split(".")[:4]) for _, op in registry().bindings(Rest)}
    assert packages == families
    assert all(isinstance(importlib.import_module(package).AREA, Area) for package in packages)


def test_the_description_has_the_areas_of_the_interface_and_few_of_our_own() -> None:
    tags = {tag["name"] for tag in openapi()["tags"]}
    assert tags == SERVED | {area.value for area in OURS}


def test_the_list_of_areas_matches_the_interface() -> None:
    line = shared("spec/interface.md").read_text().split("Areas of the interface (named by tag): ")[1].split("\n")[0]
    named = re.sub(r" \([^)]*\)", "", line).rstrip(".").split(", ")
    assert [area.value for area in Area if area not in OURS] == named
