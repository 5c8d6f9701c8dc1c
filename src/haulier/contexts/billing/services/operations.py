"""Operations of services."""

from typing import Any

from haulier.contexts.billing.services import store
from haulier.contexts.billing.services.contract import (
    CreateService,
    ListServices,
    PreviewServicePrice,
    ServiceAnswer,
    ServiceDeleted,
    ServiceList,
    ServiceMeasures,
    ServicePriceAnswer,
    ServiceRef,
    ServiceTerms,
    UpdateService,
)
from haulier.contexts.billing.services.queries import check_service_values, get_service, price_service
from haulier.contexts.billing.services.rules import (
    SERVICE_CODE_TAKEN,
    SERVICE_IN_USE,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    form_faults,
    pricing_faults,
)
from haulier.contexts.billing.services.serializers import price_answer, service_record
from haulier.contexts.billing.services.store import ServiceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, record_not_found

PATH = "/v1/billing/services"
SERVICE_PATH = f"{PATH}/{{service_id}}"
READ_SCOPES = {Scope.CUSTOMER_SHIPPING_READ}
WRITE_SCOPES = {Scope.BILLING_WRITE}


@reads(
    "list_services",
    audience=OFFICE,
    scopes=READ_SCOPES,
    interfaces=(Rest("GET", PATH), GraphQL("services")),
)
async def list_services(call: Call, request: ListServices) -> ServiceList:
    """List services sold to customers.

    Includes their forms and prices.
    """
    total, rows = await store.list_service_rows(
        call.work,
        kinds=[request.kind] if request.kind else (),
        enabled=request.enabled,
        limit=request.per_page,
        offset=request.offset,
    )
    shown = [service_record(call, row) for row in rows]
    return ServiceList(total=total, page=request.page, per_page=request.per_page, services=shown)


@reads(
    "get_service",
    audience=OFFICE,
    scopes=READ_SCOPES,
    interfaces=(Rest("GET", SERVICE_PATH), GraphQL("service")),
    errors=(NOT_FOUND,),
)
async def get_one_service(call: Call, request: ServiceRef) -> ServiceAnswer:
    """Get a service."""
    return await _load_service(call, request.service_id)


@writes(
    "create_service",
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH), GraphQL("createService")),
    errors=(SERVICE_CODE_TAKEN,),
)
async def create_service(call: Call, request: CreateService) -> ServiceAnswer:
    """Create a service.

    Sets its form, its prices and the records that its orders create.
    """
    values = {**_columns(call, request), "code": request.code, "kind": request.kind.value, "created_at": call.now}
    service_id = await store.insert_service(call.work, values)
    if service_id is None:
        raise SERVICE_CODE_TAKEN(code=request.code)
    return await _written(call, service_id)


@writes(
    "update_service",
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SERVICE_PATH), GraphQL("updateService")),
    errors=(NOT_FOUND,),
)
async def update_service(call: Call, request: UpdateService) -> ServiceAnswer:
    """Replace a service.

    Omitted fields are reset to their defaults. Existing quotes and orders keep their prices.
    """
    if await ServiceRow.lock(call.work, request.service_id) is None:
        raise record_not_found(service_id=request.service_id)
    await ServiceRow.update(call.work, request.service_id, _columns(call, request))
    return await _written(call, request.service_id)


@writes(
    "delete_service",
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", SERVICE_PATH), GraphQL("deleteService")),
    errors=(NOT_FOUND, SERVICE_IN_USE),
)
async def delete_service(call: Call, request: ServiceRef) -> ServiceDeleted:
    """Delete an unused service.

    A service that was ordered or has a valid quote cannot be deleted. Disable it instead.
    """
    row = await ServiceRow.lock(call.work, request.service_id)
    if row is None:
        raise record_not_found(service_id=request.service_id)
    if row.used or await store.has_living_quote(call.work, row.id, call.now):
        raise SERVICE_IN_USE(code=row.code)
    await store.delete_quotes_of_service(call.work, row.id)
    await ServiceRow.delete(call.work, row.id)
    call.add_audit_subjects("service", row.id)
    return ServiceDeleted(service_id=row.id)


@reads(
    "preview_service_price",
    audience=OFFICE,
    scopes=READ_SCOPES,
    interfaces=(Rest("POST", f"{SERVICE_PATH}/price"), GraphQL("servicePrice")),
    errors=(NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE),
)
async def preview_service_price(call: Call, request: PreviewServicePrice) -> ServicePriceAnswer:
    """Preview the price of a service.

    Validates the form values and returns the price, for enabled and disabled services. Nothing is saved.
    """
    service = await get_service(call, request.service_id)
    values = check_service_values(service, request.values)
    measures = ServiceMeasures.model_validate(request.model_dump(include=set(ServiceMeasures.model_fields)))
    return price_answer(call, price_service(service, values, measures))


def _columns(call: Call, terms: ServiceTerms) -> dict[str, Any]:
    if faults := [*form_faults(terms.form), *pricing_faults(terms.pricing, terms.form)]:
        raise INVALID_REQUEST.for_fields(*faults)
    values = terms.model_dump(mode="json", include=set(ServiceTerms.model_fields))
    return values | {
        "currency": terms.currency or call.business.currency,
        "fulfilment": sorted({each.value for each in terms.fulfilment}),
        "updated_at": call.now,
        "updated_by": call.actor,
    }


async def _written(call: Call, service_id: int) -> ServiceAnswer:
    call.add_audit_subjects("service", service_id)
    return await _load_service(call, service_id)


async def _load_service(call: Call, service_id: int) -> ServiceAnswer:
    row = await ServiceRow.get(call.work, service_id)
    if row is None:
        raise record_not_found(service_id=service_id)
    return ServiceAnswer(service=service_record(call, row))
