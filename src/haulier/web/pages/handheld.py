"""Handheld page: warehouse scans, saved on the device and synced when online."""

from starlette.routing import BaseRoute

from haulier.contexts.warehouse.scans.contract import ScanKind
from haulier.contexts.warehouse.scans.operations import record_scan, sync_scans
from haulier.contexts.warehouse.warehouses.operations import get_warehouses
from haulier.kernel.application import Application
from haulier.web.pages.phone_app import PhoneApp

HANDHELD = PhoneApp(
    name="handheld",
    audience=record_scan.audience,
    operations=frozenset({record_scan.name, sync_scans.name, get_warehouses.name}),
    template="handheld.html",
    page_values={"kinds": [kind.value for kind in ScanKind]},
)


def module_routes(_: Application) -> list[BaseRoute]:
    """`/handheld` and what belongs to it."""
    return HANDHELD.routes()
