"""Operations on exchange rates."""

from datetime import timedelta

from haulier.contexts.billing.exchange_rates import actions, store
from haulier.contexts.billing.exchange_rates.contract import (
    FAULTS_SHOWN,
    ConvertAmount,
    ConvertedAmount,
    ExchangeRate,
    ExchangeRateAnswer,
    ExchangeRateFileFault,
    ExchangeRateImport,
    ExchangeRateList,
    ExchangeRateRef,
    ExchangeRateSettings,
    ImportExchangeRates,
    ListExchangeRates,
    SetExchangeRate,
    SetExchangeRateSettings,
)
from haulier.contexts.billing.exchange_rates.queries import convert, load_max_age_days
from haulier.contexts.billing.exchange_rates.rules import (
    EXCHANGE_RATE_IMPORTED,
    EXCHANGE_RATE_MISSING,
    EcbFile,
    RateSource,
    ReadFault,
    read_ecb_file,
)
from haulier.contexts.billing.exchange_rates.store import ExchangeRateRow, ExchangeRateSettingRow
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.error_rendering import render_field_error
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.money import Money
from haulier.kernel.values.table_uploads import unpack_base64

RATES_PATH = "/v1/billing/exchange-rates"
SETTINGS_PATH = "/v1/billing/exchange-rate-settings"
READ, WRITE = {Scope.ANALYTICS_READ}, {Scope.BILLING_WRITE}


@reads(
    "list_exchange_rates",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", RATES_PATH), GraphQL("exchangeRates")),
)
async def list_exchange_rates(call: Call, request: ListExchangeRates) -> ExchangeRateList:
    """List exchange rates, newest first."""
    filters = request.model_dump(exclude={"page", "per_page"}, exclude_none=True)
    rows, total = await store.list_rates_page(call.work, filters, limit=request.per_page, offset=request.offset)
    return ExchangeRateList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        exchange_rates=[_rate(call, row) for row in rows],
    )


@writes(
    "set_exchange_rate",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", RATES_PATH), GraphQL("setExchangeRate")),
)
async def set_exchange_rate(call: Call, request: SetExchangeRate) -> ExchangeRateAnswer:
    """Set the exchange rate of a day.

    Replaces the business's own rate of that day and takes precedence over an imported one.
    """
    day = request.valid_on or call.today
    return ExchangeRateAnswer(
        exchange_rate=_rate(
            call, await actions.set_rate(call, request.base_currency, request.quote_currency, request.rate, day)
        )
    )


@writes(
    "delete_exchange_rate",
    available_when={"source": RateSource.MANUAL.value},
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, EXCHANGE_RATE_IMPORTED),
    interfaces=(Rest("DELETE", f"{RATES_PATH}/{{exchange_rate_id}}"), GraphQL("deleteExchangeRate")),
)
async def delete_exchange_rate(call: Call, request: ExchangeRateRef) -> Done:
    """Delete one of the business's own exchange rates.

    Recorded amounts do not change. The imported rate of the day applies again.
    """
    await actions.delete_rate(call, request.exchange_rate_id)
    return Done(message=call.translate("exchange_rate_deleted"))


async def _read_file(context: RequestContext, request: ImportExchangeRates) -> EcbFile:
    """Read the file before the transaction. Raises `INVALID_REQUEST`."""
    document = unpack_base64(request.content) or request.content.encode()
    try:
        return await read_foreign_file(context.app, read_ecb_file, document, None, field="content")
    except UnreadableFile:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.exchange_rate_file")) from None


@writes(
    "import_exchange_rates",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{RATES_PATH}/imports"), GraphQL("importExchangeRates")),
    prepare=_read_file,
)
async def import_exchange_rates(call: Call, request: ImportExchangeRates) -> ExchangeRateImport:
    """Import reference rates of the European Central Bank.

    Takes the daily file and the file of the last 90 days. A repeated file changes nothing, and a faulty value does
    not stop the others.
    """
    file: EcbFile = call.prepared
    found = await actions.import_rates(call, list(file.rates), check_only=request.check_only)
    days = [each.valid_on for each in file.rates]
    return ExchangeRateImport(
        added=found.added,
        updated=found.updated,
        unchanged=found.unchanged,
        refused=len(file.faults),
        first_day=min(days, default=None),
        last_day=max(days, default=None),
        errors=[_fault(call, each) for each in file.faults[:FAULTS_SHOWN]],
    )


@reads(
    "convert_amount",
    audience=OFFICE,
    scopes=READ,
    errors=(EXCHANGE_RATE_MISSING,),
    interfaces=(Rest("GET", "/v1/billing/conversion"), GraphQL("conversion")),
)
async def convert_amount(call: Call, request: ConvertAmount) -> ConvertedAmount:
    """Convert an amount into another currency.

    Uses the latest rate not after the day, of the pair or across a common base currency.
    """
    target, day = request.to_currency or call.business.currency, request.day or call.today
    converted = await convert(call, Money(request.amount_minor, request.from_currency), target, day)
    if converted is None:
        oldest = day - timedelta(days=await load_max_age_days(call))
        raise EXCHANGE_RATE_MISSING(base=request.from_currency, quote=target, first=str(oldest), last=str(day))
    return ConvertedAmount(
        amount_minor=converted.money.minor,
        to_currency=target,
        formatted=str(converted.money),
        rate=converted.rate,
        source=converted.source,
        valid_on=converted.valid_on,
    )


@reads(
    "get_exchange_rate_settings",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("exchangeRateSettings")),
)
async def get_exchange_rate_settings(call: Call, request: EmptyRequest) -> ExchangeRateSettings:
    """Get the settings of conversions."""
    row = await store.get_settings(call.work)
    return ExchangeRateSettings(
        max_age_days=await load_max_age_days(call), daily_import=row.daily_import if row else False
    )


@writes(
    "set_exchange_rate_settings",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setExchangeRateSettings")),
)
async def set_exchange_rate_settings(call: Call, request: SetExchangeRateSettings) -> ExchangeRateSettings:
    """Set the age limit and import of rates."""
    row = await store.lock_settings(call.work, call.now)
    await ExchangeRateSettingRow.update(call.work, row.id, {**request.model_dump(), "updated_at": call.now})
    return ExchangeRateSettings(max_age_days=request.max_age_days, daily_import=request.daily_import)


def _rate(call: Call, row: ExchangeRateRow) -> ExchangeRate:
    return record(ExchangeRate, row, source=RateSource(row.source), created_at=call.local_time(row.created_at))


def _fault(call: Call, read: ReadFault) -> ExchangeRateFileFault:
    error = FieldError(read.currency, f"field.{read.fault}", {"given": read.given})
    shown = render_field_error(error, call.app.catalogues, call.language)
    return ExchangeRateFileFault(number=read.number, **shown)
