"""Points of interest out of documents."""

from haulier.contexts.places.place_imports.actions import read_import_document, start_import
from haulier.contexts.places.place_imports.contract import ImportKind, PlaceImportStarted
from haulier.contexts.places.place_imports.rules import BODY_LIMIT_BYTES, IMPORT_TOO_LONG, IMPORT_UNREADABLE
from haulier.contexts.places.points_of_interest.contract import ImportPointsOfInterest
from haulier.contexts.places.points_of_interest.jobs import IMPORT_JOB
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.values.table_files import NamedRows


@writes(
    "import_points_of_interest",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/points-of-interest/imports", query=("category", "source", "encoding", "check_only")),),
    prepare=read_import_document,
    body_limit_bytes=BODY_LIMIT_BYTES,
    errors=(IMPORT_UNREADABLE, IMPORT_TOO_LONG),
)
async def import_points_of_interest(call: Call, request: ImportPointsOfInterest) -> PlaceImportStarted:
    """Import points of interest from a file.

    Takes GeoJSON, CSV, XLSX or KML with up to 20,000 points and runs in the background. A row with the `reference` of
    an existing point updates it; any other row creates one. Invalid rows do not affect the others. Columns and
    properties have the names of fields; `opening_hours` also accepts the OpenStreetMap format.
    """
    given = {"category": request.category, "source": request.source}
    defaults = {name: value for name, value in given.items() if value is not None}
    read: NamedRows = call.prepared
    file = NamedRows([{**defaults, **row} for row in read.rows], read.encoding)
    return await start_import(call, ImportKind.POINTS_OF_INTEREST, IMPORT_JOB, file, check_only=request.check_only)
