"""Lookups for scans with a constant number of statements."""

from collections.abc import Sequence

from haulier.contexts.orders.public import find_pieces_by_number
from haulier.contexts.warehouse.packages.queries import find_packages
from haulier.contexts.warehouse.products.queries import find_products_by_code
from haulier.contexts.warehouse.scans.contract import DeviceScan
from haulier.contexts.warehouse.scans.rules import Known, parse_gs1
from haulier.contexts.warehouse.scans.store import list_open_arrivals
from haulier.contexts.warehouse.warehouses.queries import find_location_rows
from haulier.kernel.call import Call


async def load_known(call: Call, scans: Sequence[DeviceScan]) -> Known:
    """Return the known codes and locations of scans."""
    gs1 = {scan.code: said for scan in scans if (said := parse_gs1(scan.code, call.today))}
    named = {barcode for scan in scans for barcode in (scan.location, scan.to_location) if barcode}
    codes = {gs1[scan.code].gtin or scan.code if scan.code in gs1 else scan.code for scan in scans}
    products = await find_products_by_code(call, codes)
    numbers = {scan.code.upper() for scan in scans if scan.code not in products and scan.code not in gs1}
    return Known(
        gs1=gs1,
        products=products,
        packages=await _find_package_numbers(call, numbers),
        locations=await find_location_rows(call, named),
    )


async def _find_package_numbers(call: Call, numbers: set[str]) -> frozenset[str]:
    """Return the numbers of known packages: seen before, on orders, or expected."""
    if not numbers:
        return frozenset()
    seen = (await find_packages(call, numbers)).keys()
    pieces = (await find_pieces_by_number(call, numbers - seen)).keys()
    left = numbers - seen - pieces
    return frozenset({*seen, *pieces, *(row.number for row in await list_open_arrivals(call.work, left))})
