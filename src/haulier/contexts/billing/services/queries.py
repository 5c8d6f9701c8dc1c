"""Queries that find, validate and price services for other families and contexts."""

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct
from pydantic import TypeAdapter

from haulier.contexts.billing.services import store
from haulier.contexts.billing.services.contract import (
    FormField,
    Fulfilment,
    ServiceKind,
    ServiceMeasures,
    ServicePricing,
)
from haulier.contexts.billing.services.rules import (
    PRICE_FAMILIES,
    Form,
    PriceLine,
    ServicePrice,
    Values,
    form_schema,
    given_values,
    price_of,
    values_faults,
)
from haulier.contexts.billing.services.store import ServiceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import INVALID_REQUEST, record_not_found

SERVICES_MAX = 1_000
_FORM: TypeAdapter[list[FormField]] = TypeAdapter(list[FormField])


class Service(Struct, frozen=True, kw_only=True):
    """Service, ready to be filled in and priced."""

    id: int
    code: str
    kind: ServiceKind
    family: PriceFamily
    """Family under which the prices may be hidden."""
    name: str
    description: str
    form: Form
    pricing: ServicePricing
    currency: str
    quote_hours: int
    fulfilment: frozenset[Fulfilment]
    carrier_account_id: int | None
    carrier_service: str | None
    enabled: bool

    def schema(self, language: str) -> dict[str, Any]:
        """Return the form as JSON Schema, with titles in a language."""
        return form_schema(self.form, language)


def service_from_row(row: ServiceRow) -> Service:
    """Return a stored service."""
    return Service(
        id=row.id,
        code=row.code,
        kind=ServiceKind(row.kind),
        family=PRICE_FAMILIES[row.kind],
        name=row.name,
        description=row.description,
        form=_FORM.validate_python(row.form),
        pricing=ServicePricing.model_validate(row.pricing),
        currency=row.currency,
        quote_hours=row.quote_hours,
        fulfilment=frozenset(map(Fulfilment, row.fulfilment)),
        carrier_account_id=row.carrier_account_id,
        carrier_service=row.carrier_service,
        enabled=row.enabled,
    )


async def list_offered_services(call: Call, kinds: Collection[ServiceKind]) -> Sequence[Service]:
    """Return offered services of some kinds in display order, at most 1,000."""
    _, rows = await store.list_service_rows(call.work, kinds=kinds, enabled=True, limit=SERVICES_MAX)
    return [service_from_row(row) for row in rows]


async def find_offered_service(
    call: Call, code: str, kinds: Collection[ServiceKind], field: str = "service_code", *, quoted: bool = False
) -> Service:
    """Return an offered service by kind and code.

    With `quoted`, the service may have been withdrawn. Raises `NOT_FOUND` at `field`.
    """
    row = await ServiceRow.find_by(call.work, code=code)
    if row is None or not (row.enabled or quoted) or row.kind not in kinds:
        raise record_not_found(**{field: code})
    return service_from_row(row)


async def get_service(call: Call, service_id: int) -> Service:
    """Return a service by id, offered or not. Raises `NOT_FOUND`."""
    row = await ServiceRow.get(call.work, service_id)
    if row is None:
        raise record_not_found(service_id=service_id)
    return service_from_row(row)


def check_service_values(service: Service, values: Values, at: str = "values") -> dict[str, Any]:
    """Return form values without nulls if they are valid.

    Raises `INVALID_REQUEST` with each validation error below the field `at`.
    """
    if faults := values_faults(service.form, values, at):
        raise INVALID_REQUEST.for_fields(*faults)
    return given_values(values)


def price_service(
    service: Service, values: Values, measures: ServiceMeasures, extra: Sequence[PriceLine] = ()
) -> ServicePrice:
    """Return the price of a service with valid form values.

    `extra` lines come before surcharges, minimum and tax. Raises `SERVICE_OUT_OF_AREA` and
    `SERVICE_PRICE_OUT_OF_RANGE`.
    """
    return price_of(service.pricing, service.currency, service.form, values, measures, extra)


def price_line_name(call: Call, line: PriceLine) -> str:
    """Return the name of a price line in the caller's language."""
    return line.name or call.translate(f"price_line.{line.code}")
