"""Operations for staff: luggage settings and report."""

from haulier.contexts.lockers.luggage.contract.settings import (
    GetLuggageReport,
    LuggageReport,
    LuggageSettings,
    LuggageSums,
    SetLuggageSettings,
)
from haulier.contexts.lockers.luggage.queries import get_terms
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.records import record

SETTINGS_PATH = "/v1/luggage-settings"
REPORT_DAYS_MAX = 366


@reads(
    "get_luggage_settings",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", SETTINGS_PATH), GraphQL("luggageSettings")),
)
async def get_luggage_settings(call: Call, request: EmptyRequest) -> LuggageSettings:
    """Retrieve the settings of the luggage relay."""
    return record(LuggageSettings, await get_terms(call))


@writes(
    "set_luggage_settings",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", SETTINGS_PATH), GraphQL("setLuggageSettings")),
)
async def set_luggage_settings(call: Call, request: SetLuggageSettings) -> LuggageSettings:
    """Update the settings of the luggage relay.

    Covers times, cancellation refunds and the limit of claims.
    """
    await store.write_settings(call.work, request.model_dump())
    return record(LuggageSettings, await get_terms(call))


@reads(
    "get_luggage_report",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    doors=(Rest("GET", "/v1/luggage-report"), GraphQL("luggageReport")),
)
async def get_luggage_report(call: Call, request: GetLuggageReport) -> LuggageReport:
    """Report on paid luggage bookings.

    Groups the bookings paid in a period by service, day or site of the destination. Includes late and lost bags and
    refunds.
    """
    if not 0 <= (request.last_day - request.first_day).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("last_day", "field.shop_days"))
    rows = await store.list_sum_rows(call.work, request.by, request.first_day, request.last_day, most=request.limit)
    return LuggageReport(groups=[record(LuggageSums, row) for row in rows])
