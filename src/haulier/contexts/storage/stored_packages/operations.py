"""Operations on stored packages."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, save_upload
from haulier.contexts.storage.events import PackageReturned
from haulier.contexts.storage.stored_packages import store
from haulier.contexts.storage.stored_packages.actions import return_package
from haulier.contexts.storage.stored_packages.contract import (
    PHOTOS_MAX,
    AddPackagePhoto,
    ListCustomerPackages,
    ListStoredPackages,
    StoredPackageAnswer,
    StoredPackageList,
    StoredPackageRef,
)
from haulier.contexts.storage.stored_packages.queries import PHOTO_SUBJECT, get_package
from haulier.contexts.storage.stored_packages.rules import PACKAGE_NOT_FREE, PackageState
from haulier.contexts.storage.stored_packages.serializers import package_record
from haulier.contexts.storage.stored_packages.store import StoredPackageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error
from haulier.kernel.values.pagination import total_fields

TOO_MANY_PHOTOS = declare_error("too_many_photos", 409)
PACKAGE_PATH = "/v1/storage/packages/{package_id}"
FILTERS = {"state", "storage_order_id", "shipout_id", "reference", "customer_id", "location_id"}


@reads(
    "list_stored_packages",
    audience={Account.CUSTOMER},
    scopes={Scope.STORAGE_READ},
    interfaces=(
        Rest("GET", "/v1/customer/stored-packages"),
        GraphQL("customerStoredPackages"),
        Mcp("list_stored_packages", title="List your stored packages"),
    ),
)
async def list_stored_packages(call: Call, request: ListStoredPackages) -> StoredPackageList:
    """List your stored packages, newest first.

    Includes packages that have left stock.
    """
    return await _list(call, request, customer_id=call.actor or 0)


@reads(
    "list_customer_packages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/storage/packages"), GraphQL("storagePackages")),
)
async def list_customer_packages(call: Call, request: ListCustomerPackages) -> StoredPackageList:
    """List stored packages of customers, newest first.

    Includes packages that have left stock.
    """
    return await _list(call, request)


async def _list(call: Call, request: ListStoredPackages, **own: int) -> StoredPackageList:
    wanted = request.model_dump(include=FILTERS, exclude_none=True) | own
    rows, counted = await store.list_package_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return StoredPackageList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        stored_packages=[package_record(call, row) for row in rows],
    )


@writes(
    "add_package_photo",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{PACKAGE_PATH}/photos"), GraphQL("addPackagePhoto")),
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    errors=(NOT_FOUND, TOO_MANY_PHOTOS),
)
async def add_package_photo(call: Call, request: AddPackagePhoto) -> StoredPackageAnswer:
    """Add a photo to a stored package.

    A package has at most ten photos, which the customer can open.
    """
    row = await get_package(call, request.package_id, lock=True)
    if len(row.photo_ids) >= PHOTOS_MAX:
        raise TOO_MANY_PHOTOS(most=PHOTOS_MAX)
    about = f"{PHOTO_SUBJECT}:{row.id}"
    file_id = await save_upload(call, request, about=about)
    await StoredPackageRow.update(call.work, row.id, {"photo_ids": [*row.photo_ids, file_id]})
    return await _answer(call, row.id)


@writes(
    "return_stored_package",
    available_when={"state": PackageState.STORED.value},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PACKAGE_PATH}/return"), GraphQL("returnStoredPackage")),
    errors=(NOT_FOUND, PACKAGE_NOT_FREE),
)
async def return_stored_package(call: Call, request: StoredPackageRef) -> StoredPackageAnswer:
    """Return a stored package to its customer.

    The day of the return is free of charge.
    """
    row = await get_package(call, request.package_id, lock=True)
    await return_package(call, row)
    await call.publish(
        PackageReturned(package_id=row.id, storage_order_id=row.storage_order_id, customer_id=row.customer_id)
    )
    return await _answer(call, row.id)


async def _answer(call: Call, package_id: int) -> StoredPackageAnswer:
    call.add_audit_subjects("stored_package", package_id)
    return StoredPackageAnswer(stored_package=package_record(call, await get_package(call, package_id)))
