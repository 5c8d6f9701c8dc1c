"""Operations on vehicle documents."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, delete_files, register_file_access, save_upload
from haulier.contexts.fleet.driver_documents.queries import get_due_day
from haulier.contexts.fleet.vehicle_documents import store
from haulier.contexts.fleet.vehicle_documents.contract import (
    AddVehicleDocument,
    ListVehicleDocuments,
    VehicleDocumentAnswer,
    VehicleDocumentList,
    VehicleDocumentRef,
)
from haulier.contexts.fleet.vehicle_documents.serializers import serialize_vehicle_documents
from haulier.contexts.fleet.vehicles.queries import get_visible_vehicle
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError

PLANNERS = OFFICE | {Account.CONTRACTOR}
PATH = "/v1/vehicle-documents"


@register_file_access("vehicle", Scope.ROUTES_READ)
async def may_see_vehicle(call: Call, vehicle_id: int) -> bool:
    """Return True if the caller is the contractor of the vehicle."""
    if call.principal.account not in PLANNERS:
        return False
    try:
        await get_visible_vehicle(call, vehicle_id)
    except OperationError:
        return False
    return True


@writes(
    "add_vehicle_document",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", "/v1/vehicles/{vehicle_id}/documents", status=201), GraphQL("addVehicleDocument")),
)
async def add_vehicle_document(call: Call, request: AddVehicleDocument) -> VehicleDocumentAnswer:
    """Upload a document of a vehicle.

    Takes a photo or scan. Earlier documents are kept. Before it expires, the document is listed among the items that
    need attention.
    """
    await get_visible_vehicle(call, request.vehicle_id)
    file_id = request.file and await save_upload(call, request.file, about=f"vehicle:{request.vehicle_id}")
    document_id = await store.VehicleDocumentRow.insert(
        call.work,
        **{**request.model_dump(exclude={"file"}), "kind": request.kind.value},
        file_id=file_id,
        uploaded_by=call.actor,
        uploaded_at=call.now,
    )
    call.add_audit_subjects("vehicle", request.vehicle_id)
    row = await _get_visible_document(call, document_id)
    return VehicleDocumentAnswer(vehicle_document=(await serialize_vehicle_documents(call, [row]))[0])


@reads(
    "list_vehicle_documents",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    interfaces=(Rest("GET", PATH), GraphQL("vehicleDocuments")),
)
async def list_vehicle_documents(call: Call, request: ListVehicleDocuments) -> VehicleDocumentList:
    """List documents of vehicles.

    Documents that expire first come first. Contractors see documents of their vehicles.
    """
    filters = {
        "vehicle": request.vehicle_id,
        "contractor": call.actor if call.principal.account is Account.CONTRACTOR else request.contractor_id,
        "kind": request.kind and request.kind.value,
        "due_until": await get_due_day(call) if request.due else None,
    }
    present = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_vehicle_document_rows(
        call.work, present, limit=request.per_page, offset=request.offset
    )
    documents = await serialize_vehicle_documents(call, rows)
    return VehicleDocumentList(total=total, page=request.page, per_page=request.per_page, vehicle_documents=documents)


@reads(
    "get_vehicle_document",
    audience=PLANNERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{PATH}/{{vehicle_document_id}}"), GraphQL("vehicleDocument")),
)
async def get_vehicle_document(call: Call, request: VehicleDocumentRef) -> VehicleDocumentAnswer:
    """Get a document of a vehicle.

    Open its file with `get_file`.
    """
    row = await _get_visible_document(call, request.vehicle_document_id)
    return VehicleDocumentAnswer(vehicle_document=(await serialize_vehicle_documents(call, [row]))[0])


@writes(
    "remove_vehicle_document",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", f"{PATH}/{{vehicle_document_id}}"), GraphQL("removeVehicleDocument")),
)
async def remove_vehicle_document(call: Call, request: VehicleDocumentRef) -> Done:
    """Delete a vehicle document and its file."""
    document = await _get_visible_document(call, request.vehicle_document_id, lock=True)
    await store.VehicleDocumentRow.delete(call.work, document.id)
    if document.file_id:
        await delete_files(call, [document.file_id])
    call.add_audit_subjects("vehicle", document.vehicle_id)
    return Done(message=call.translate("vehicle_document_removed"))


async def _get_visible_document(call: Call, document_id: int, *, lock: bool = False) -> store.NamedVehicleDocumentRow:
    document = await store.get_vehicle_document_row(call.work, document_id, lock=lock)
    if document is None or (call.principal.account is Account.CONTRACTOR and document.contractor_id != call.actor):
        raise NOT_FOUND()
    return document
