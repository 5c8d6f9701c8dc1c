"""Labels of locations are printed."""

import asyncio
from base64 import b64encode

from haulier.contexts.warehouse.warehouses.contract import LocationLabels, PrintLocationLabels
from haulier.contexts.warehouse.warehouses.queries import get_warehouse, list_location_page
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error
from haulier.rendering.location_labels import LocationLabel, render_location_labels_pdf, render_location_labels_zpl

NO_SUCH_LOCATIONS = declare_error("no_such_locations", 404)
MEDIA_TYPES = {"pdf": "application/pdf", "zpl": "application/zpl"}
LABEL_FORMS = Representations(
    tuple(Representation(media_type, form) for form, media_type in MEDIA_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "print_location_labels",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(
        Rest("GET", "/v1/wms/warehouses/{warehouse_id}/location-labels", representations=LABEL_FORMS),
        GraphQL("warehouseLocationLabels"),
    ),
    errors=(NOT_FOUND, NO_SUCH_LOCATIONS),
)
async def print_location_labels(call: Call, request: PrintLocationLabels) -> LocationLabels:
    """Print labels of 4 by 2 inches for locations, in walking order: the code in large letters, and the barcode."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    rows, total = await list_location_page(call, request)
    if not rows:
        raise NO_SUCH_LOCATIONS(warehouse=warehouse.code)
    labels = [
        LocationLabel(code=row.code, barcode=row.barcode, caption=" · ".join(filter(None, (warehouse.name, row.zone))))
        for row in rows
    ]
    render = render_location_labels_pdf if request.format == "pdf" else render_location_labels_zpl
    # Why a thread: a page of labels takes a tenth of a second.
    document = await asyncio.to_thread(render, labels)
    return LocationLabels(
        total=total,
        labels=len(labels),
        format=request.format,
        media_type=MEDIA_TYPES[request.format],
        document=b64encode(document).decode(),
    )
