"""Operations on driver documents."""

from datetime import timedelta

from haulier.contexts.documents.public import (
    FILE_BODY_LIMIT_BYTES,
    declare_personal_files,
    delete_files,
    register_file_access,
    save_upload,
)
from haulier.contexts.fleet.driver_documents import store
from haulier.contexts.fleet.driver_documents.contract import (
    AddDriverDocument,
    DriverDocumentAnswer,
    DriverDocumentList,
    DriverDocumentRef,
    DriverPolicy,
    GetDriverPolicy,
    ListDriverDocuments,
    ReviewDriverDocument,
    SetDriverPolicy,
)
from haulier.contexts.fleet.driver_documents.jobs import schedule_expiry_watch
from haulier.contexts.fleet.driver_documents.queries import get_business_day, get_due_day, load_document_policy
from haulier.contexts.fleet.driver_documents.rules import (
    DRIVER_DOCUMENT_OVER,
    DRIVER_DOCUMENT_REVIEWED,
    DriverDocumentKind,
    DriverDocumentPolicy,
    ReviewVerdict,
    require_not_expired,
)
from haulier.contexts.fleet.driver_documents.serializers import load_driver_document, serialize_driver_documents
from haulier.contexts.fleet.driver_documents.store import DriverDocumentRow
from haulier.contexts.fleet.drivers.queries import get_visible_driver
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import PersonKey, RecordKind
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError

PATH = "/v1/driver-documents"


declare_personal_files("driver", PersonKey.DRIVER, RecordKind.DRIVER_DOCUMENTS)


@register_file_access("driver", Scope.DRIVERS_READ)
async def may_see_driver(call: Call, driver_id: int) -> bool:
    """Return True if the caller is the driver, or the driver's contractor."""
    if call.principal.account not in STAFF:
        return False
    try:
        await get_visible_driver(call, driver_id)
    except OperationError:
        return False
    return True


@writes(
    "add_driver_document",
    audience=STAFF,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    limits=(RateLimit(60, 3600, ("user",)),),
    errors=(NOT_FOUND, DRIVER_DOCUMENT_OVER),
    interfaces=(Rest("POST", "/v1/drivers/{driver_id}/documents", status=201), GraphQL("addDriverDocument")),
)
async def add_driver_document(call: Call, request: AddDriverDocument) -> DriverDocumentAnswer:
    """Upload a document of a driver.

    Takes a photo or scan. A document from a driver or contractor waits for review; a document from staff is valid at
    once. Earlier documents are kept.
    """
    await get_visible_driver(call, request.driver_id)
    office = call.principal.account in OFFICE
    if office:
        require_not_expired(request.expires_on, get_business_day(call))
    about, upload = f"driver:{request.driver_id}", request.file
    file_id = upload and await save_upload(call, upload, about=about)
    document_id = await DriverDocumentRow.insert(
        call.work,
        **{**request.model_dump(exclude={"file"}), "kind": request.kind.value},
        file_id=file_id,
        verdict=(ReviewVerdict.VALID if office else ReviewVerdict.PENDING).value,
        uploaded_by=call.actor,
        uploaded_at=call.now,
        reviewed_by=call.actor if office else None,
        reviewed_at=call.now if office else None,
    )
    if office:
        await schedule_expiry_watch(call, document_id, request.expires_on)
    call.add_audit_subjects("driver", request.driver_id)
    return await load_driver_document(call, document_id)


@reads(
    "list_driver_documents",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("driverDocuments")),
)
async def list_driver_documents(call: Call, request: ListDriverDocuments) -> DriverDocumentList:
    """List documents of drivers.

    Documents that expire first come first. Contractors see documents of their drivers. Drivers see their own.
    """
    day, account = get_business_day(call), call.principal.account
    soon = request.expires_within_days
    filters = {
        "driver": request.driver_id,
        "kind": request.kind and request.kind.value,
        "until": None if soon is None else day + timedelta(days=soon),
        "due_until": await get_due_day(call) if request.due else None,
        "contractor": call.actor if account is Account.CONTRACTOR else request.contractor_id,
        "user": call.actor if account is Account.DRIVER else None,
    }
    present = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_driver_document_rows(
        call.work, present, request.state, day, limit=request.per_page, offset=request.offset
    )
    return DriverDocumentList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        documents=await serialize_driver_documents(call, rows),
    )


@reads(
    "get_driver_document",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", f"{PATH}/{{document_id}}"), GraphQL("driverDocument")),
)
async def get_driver_document(call: Call, request: DriverDocumentRef) -> DriverDocumentAnswer:
    """Get a document of a driver.

    Open its file with `get_file`.
    """
    return DriverDocumentAnswer(
        document=(await serialize_driver_documents(call, [await _get_visible_document(call, request.document_id)]))[0]
    )


@writes(
    "review_driver_document",
    audience=OFFICE,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_DOCUMENT_OVER),
    interfaces=(Rest("POST", f"{PATH}/{{document_id}}/review"), GraphQL("reviewDriverDocument")),
)
async def review_driver_document(call: Call, request: ReviewDriverDocument) -> DriverDocumentAnswer:
    """Accept or reject a driver document.

    The reviewer can correct its details. An expired document cannot be accepted.
    """
    document = await _get_visible_document(call, request.document_id, lock=True)
    read = request.model_dump(include={"number", "expires_on"}, exclude_none=True)
    expires_on = request.expires_on or document.expires_on
    if request.verdict == ReviewVerdict.VALID:
        require_not_expired(expires_on, get_business_day(call))
    if request.verdict == ReviewVerdict.VALID and expires_on != document.expires_on:
        read |= {"told_soon_at": None, "told_over_at": None}
    reviewed = {
        "verdict": request.verdict,
        "reason": request.reason,
        "reviewed_by": call.actor,
        "reviewed_at": call.now,
    }
    await DriverDocumentRow.update(call.work, document.id, {**read, **reviewed})
    if request.verdict == ReviewVerdict.VALID:
        await schedule_expiry_watch(call, document.id, expires_on)
    call.add_audit_subjects("driver", document.driver_id)
    return await load_driver_document(call, document.id)


@writes(
    "remove_driver_document",
    audience=STAFF,
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, DRIVER_DOCUMENT_REVIEWED),
    interfaces=(Rest("DELETE", f"{PATH}/{{document_id}}"), GraphQL("removeDriverDocument")),
)
async def remove_driver_document(call: Call, request: DriverDocumentRef) -> Done:
    """Delete a driver document and its file.

    Drivers and contractors can delete a document only before its review.
    """
    document = await _get_visible_document(call, request.document_id, lock=True)
    if call.principal.account not in OFFICE and document.verdict != ReviewVerdict.PENDING:
        raise DRIVER_DOCUMENT_REVIEWED()
    await DriverDocumentRow.delete(call.work, document.id)
    if document.file_id:
        await delete_files(call, [document.file_id])
    call.add_audit_subjects("driver", document.driver_id)
    return Done(message=call.translate("driver_document_removed"))


async def _get_visible_document(call: Call, document_id: int, *, lock: bool = False) -> store.NamedDocumentRow:
    document = await store.get_driver_document_row(call.work, document_id, lock=lock)
    if document is None:
        raise NOT_FOUND()
    await get_visible_driver(call, document.driver_id)
    return document


@reads(
    "get_driver_policy",
    audience=OFFICE,
    scopes={Scope.DRIVERS_READ},
    interfaces=(Rest("GET", "/v1/driver-policy"), GraphQL("driverPolicy")),
)
async def get_driver_policy(call: Call, request: GetDriverPolicy) -> DriverPolicy:
    """Get the policy for driver documents.

    Returns the required documents and the consequences of invalid ones.
    """
    return _serialize_driver_policy(await load_document_policy(call.work))


@writes(
    "set_driver_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/driver-policy"), GraphQL("setDriverPolicy")),
)
async def set_driver_policy(call: Call, request: SetDriverPolicy) -> DriverPolicy:
    """Set the policy for driver documents.

    Defines the required documents, whether an invalid one blocks a route, and whether drivers can apply by themselves.
    The notice period applies to documents accepted from now on.
    """
    old = await load_document_policy(call.work)
    named = request.model_dump(exclude_none=True)
    policy = DriverDocumentPolicy(
        required=frozenset(old.required if request.required is None else request.required),
        blocks_start=named.get("blocks_start", old.blocks_start),
        notice_days=named.get("notice_days", old.notice_days),
        registration_open=named.get("registration_open", old.registration_open),
    )
    await store.upsert_driver_policy(
        call.work,
        required=_list_required_kinds(policy),
        blocks_start=policy.blocks_start,
        notice_days=policy.notice_days,
        registration_open=policy.registration_open,
    )
    return _serialize_driver_policy(policy)


def _list_required_kinds(policy: DriverDocumentPolicy) -> list[str]:
    return [kind.value for kind in DriverDocumentKind if kind in policy.required]


def _serialize_driver_policy(policy: DriverDocumentPolicy) -> DriverPolicy:
    return DriverPolicy(
        required=_list_required_kinds(policy),
        blocks_start=policy.blocks_start,
        notice_days=policy.notice_days,
        registration_open=policy.registration_open,
    )
