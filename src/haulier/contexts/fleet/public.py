"""Interface of the fleet for other contexts.

Drivers, working profiles, vehicles, depots.
"""

from haulier.contexts.fleet.depots.queries import (
    DepotRow,
    KnownDepotPlaces,
    depots,
    get_depot_row,
    get_depot_rows,
    list_depot_rows,
)
from haulier.contexts.fleet.driver_documents.queries import (
    count_due_driver_documents,
    get_due_day,
    require_driver_documents,
)
from haulier.contexts.fleet.driver_skills.queries import find_unknown_skills
from haulier.contexts.fleet.drivers.queries import (
    DriverRow,
    driver_not_found,
    drivers,
    get_driver_row,
    get_driver_row_by_user,
    get_driver_rows,
    get_visible_driver,
    list_driver_rows,
    lock_drivers,
)
from haulier.contexts.fleet.shifts.queries import WorkingProfileRow, get_working_profile_rows, working_profiles
from haulier.contexts.fleet.vehicle_documents.queries import count_due_vehicle_documents
from haulier.contexts.fleet.vehicles.queries import (
    VehicleRow,
    count_due_services,
    get_vehicle_rows,
    list_vehicle_rows,
    vehicles,
)

__all__ = [
    "DepotRow",
    "DriverRow",
    "KnownDepotPlaces",
    "VehicleRow",
    "WorkingProfileRow",
    "count_due_driver_documents",
    "count_due_services",
    "count_due_vehicle_documents",
    "depots",
    "driver_not_found",
    "drivers",
    "find_unknown_skills",
    "get_depot_row",
    "get_depot_rows",
    "get_driver_row",
    "get_driver_row_by_user",
    "get_driver_rows",
    "get_due_day",
    "get_vehicle_rows",
    "get_visible_driver",
    "get_working_profile_rows",
    "list_depot_rows",
    "list_driver_rows",
    "list_vehicle_rows",
    "lock_drivers",
    "require_driver_documents",
    "vehicles",
    "working_profiles",
]
