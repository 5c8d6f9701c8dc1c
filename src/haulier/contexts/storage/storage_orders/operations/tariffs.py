"""What storage costs: set by the office, shown to customers."""

from msgspec import to_builtins

from haulier.contexts.storage.storage_orders.contract.orders import PACKAGES_MAX
from haulier.contexts.storage.storage_orders.contract.tariffs import (
    DAYS_MAX,
    SetStorageTariff,
    StorageOrderConfig,
    StorageTariffAnswer,
    StorageTariffList,
)
from haulier.contexts.storage.storage_orders.queries.tariffs import list_tariffs, terms_of
from haulier.contexts.storage.storage_orders.rules.lifecycle import QUOTE_LIFE
from haulier.contexts.storage.storage_orders.serializers import tariff_record
from haulier.contexts.storage.storage_orders.store import tariffs as store
from haulier.contexts.storage.storage_orders.store.tariffs import TariffRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import record_not_found


@reads(
    "get_storage_order_config",
    audience={Account.CUSTOMER},
    scopes={Scope.STORAGE_READ},
    doors=(
        Rest("GET", "/v1/customer/storage-orders/config"),
        GraphQL("customerStorageOrderConfig"),
        Mcp("get_storage_order_config", title="Show what storage can be ordered"),
    ),
)
async def get_storage_order_config(call: Call, request: EmptyRequest) -> StorageOrderConfig:
    """Retrieve the options for storage orders.

    Returns the available storage services, their prices and the limits of an order.
    """
    return StorageOrderConfig(
        services=[tariff_record(row) for row in await list_tariffs(call, offered=True)],
        quote_hours=int(QUOTE_LIFE.total_seconds()) // 3600,
        packages_max=PACKAGES_MAX,
        days_max=DAYS_MAX,
    )


@reads(
    "list_storage_tariffs",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/storage/tariffs"), GraphQL("storageTariffs")),
)
async def list_storage_tariffs(call: Call, request: EmptyRequest) -> StorageTariffList:
    """List storage services and their tariffs.

    Ordered by code.
    """
    return StorageTariffList(tariffs=[tariff_record(row) for row in await list_tariffs(call, offered=False)])


@writes(
    "set_storage_tariff",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", "/v1/storage/tariffs/{service_code}"), GraphQL("setStorageTariff")),
)
async def set_storage_tariff(call: Call, request: SetStorageTariff) -> StorageTariffAnswer:
    """Create or update a storage tariff.

    Sets the price of a storage service from now on. Existing orders and quotes keep their tariff.
    """
    await store.upsert_tariff(
        call.work,
        service_code=request.service_code,
        name=request.name,
        terms=to_builtins(terms_of(request, call.business.currency)),
        active=request.active,
        updated_at=call.now,
    )
    row = await TariffRow.find_by(call.work, service_code=request.service_code)
    if row is None:
        raise record_not_found(service_code=request.service_code)
    call.add_audit_subjects("storage_tariff", row.id)
    return StorageTariffAnswer(tariff=tariff_record(row))
