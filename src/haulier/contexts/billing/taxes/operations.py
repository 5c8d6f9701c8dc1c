"""Operations on taxes."""

from typing import Any

from haulier.contexts.billing.taxes import store
from haulier.contexts.billing.taxes.actions import add_initial_rates, save_exemption, save_rate
from haulier.contexts.billing.taxes.contract import (
    AddInitialTaxRates,
    CreateTaxExemption,
    CreateTaxRate,
    ListTaxExemptions,
    ListTaxRates,
    PreviewedTax,
    PreviewTax,
    SetTaxSettings,
    TaxExemption,
    TaxExemptionAnswer,
    TaxExemptionList,
    TaxExemptionRef,
    TaxPreview,
    TaxRate,
    TaxRateAnswer,
    TaxRateList,
    TaxRateRef,
    TaxSettings,
    UpdateTaxExemption,
    UpdateTaxRate,
)
from haulier.contexts.billing.taxes.queries import includes_tax_of, load_home, taxes_for
from haulier.contexts.billing.taxes.rules import (
    TAX_EXEMPTION_OVERLAPS,
    TAX_RATE_OVERLAPS,
    ExemptionKind,
    ProductClass,
    TaxPlace,
    TaxRounding,
)
from haulier.contexts.billing.taxes.store import TaxExemptionRow, TaxRateRow, TaxSettingRow
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.taxes import rate_in_bp

RATES_PATH = "/v1/billing/tax-rates"
RATE_PATH = f"{RATES_PATH}/{{tax_rate_id}}"
EXEMPTIONS_PATH = "/v1/billing/tax-exemptions"
EXEMPTION_PATH = f"{EXEMPTIONS_PATH}/{{tax_exemption_id}}"
SETTINGS_PATH = "/v1/billing/tax-settings"
READ, WRITE = {Scope.ANALYTICS_READ}, {Scope.BILLING_WRITE}


@reads(
    "list_tax_rates",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", RATES_PATH), GraphQL("taxRates")),
)
async def list_tax_rates(call: Call, request: ListTaxRates) -> TaxRateList:
    """List tax rates by country, region and name."""
    return TaxRateList(tax_rates=[_rate(row) for row in await store.list_rates(call.work, request.country)])


@writes(
    "create_tax_rate",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(TAX_RATE_OVERLAPS,),
    interfaces=(Rest("POST", RATES_PATH, status=201), GraphQL("createTaxRate")),
)
async def create_tax_rate(call: Call, request: CreateTaxRate) -> TaxRateAnswer:
    """Create a tax rate.

    Charges without a tax of their own contain the rates of their place and product class. Rates with different names
    apply together; of rates with the same name, the most specific one applies.
    """
    return TaxRateAnswer(tax_rate=_rate(await save_rate(call, _values(request))))


@writes(
    "update_tax_rate",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, TAX_RATE_OVERLAPS),
    interfaces=(Rest("PUT", RATE_PATH), GraphQL("updateTaxRate")),
)
async def update_tax_rate(call: Call, request: UpdateTaxRate) -> TaxRateAnswer:
    """Replace a tax rate.

    Posted charges keep their taxes.
    """
    return TaxRateAnswer(tax_rate=_rate(await save_rate(call, _values(request), request.tax_rate_id)))


def _values(request: CreateTaxRate) -> dict[str, Any]:
    values = request.model_dump(exclude={"tax_rate_id", "rate_bp"})
    return {**values, "rate_ppm": request.exact_ppm}


@writes(
    "delete_tax_rate",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", RATE_PATH), GraphQL("deleteTaxRate")),
)
async def delete_tax_rate(call: Call, request: TaxRateRef) -> Done:
    """Delete a tax rate.

    Posted charges keep their taxes.
    """
    if not await TaxRateRow.delete(call.work, request.tax_rate_id):
        raise record_not_found(tax_rate_id=request.tax_rate_id)
    call.add_audit_subjects("tax_rate", request.tax_rate_id)
    return Done(message=call.translate("tax_rate_deleted"))


@writes(
    "add_initial_tax_rates",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{RATES_PATH}/initial"), GraphQL("addInitialTaxRates")),
)
async def add_initial_tax_rates(call: Call, request: AddInitialTaxRates) -> TaxRateList:
    """Add the standard tax rates of a country.

    Adds the rates of its regions too. Existing tax rates stay unchanged. Check the rates before you charge with them.
    """
    await add_initial_rates(call.work, request.country, request.valid_from or call.today, call.now)
    return TaxRateList(tax_rates=[_rate(row) for row in await store.list_rates(call.work, request.country)])


@reads(
    "list_tax_exemptions",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", EXEMPTIONS_PATH), GraphQL("taxExemptions")),
)
async def list_tax_exemptions(call: Call, request: ListTaxExemptions) -> TaxExemptionList:
    """List tax exemptions of customers."""
    rows = await store.list_exemptions(call.work, request.customer_id)
    return TaxExemptionList(tax_exemptions=[_exemption(row) for row in rows])


@writes(
    "create_tax_exemption",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, TAX_EXEMPTION_OVERLAPS),
    interfaces=(Rest("POST", EXEMPTIONS_PATH, status=201), GraphQL("createTaxExemption")),
)
async def create_tax_exemption(call: Call, request: CreateTaxExemption) -> TaxExemptionAnswer:
    """Exempt a customer from taxes.

    The reason and number are printed on invoices.
    """
    await require_customer(call.work, request.customer_id)
    return TaxExemptionAnswer(tax_exemption=_exemption(await save_exemption(call, request.model_dump())))


@writes(
    "update_tax_exemption",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND, NOT_A_CUSTOMER, TAX_EXEMPTION_OVERLAPS),
    interfaces=(Rest("PUT", EXEMPTION_PATH), GraphQL("updateTaxExemption")),
)
async def update_tax_exemption(call: Call, request: UpdateTaxExemption) -> TaxExemptionAnswer:
    """Replace a tax exemption.

    Posted charges keep their taxes.
    """
    await require_customer(call.work, request.customer_id)
    values = request.model_dump(exclude={"tax_exemption_id"})
    row = await save_exemption(call, values, request.tax_exemption_id)
    return TaxExemptionAnswer(tax_exemption=_exemption(row))


@writes(
    "delete_tax_exemption",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", EXEMPTION_PATH), GraphQL("deleteTaxExemption")),
)
async def delete_tax_exemption(call: Call, request: TaxExemptionRef) -> Done:
    """Delete a tax exemption.

    Posted charges keep their taxes.
    """
    if not await TaxExemptionRow.delete(call.work, request.tax_exemption_id):
        raise record_not_found(tax_exemption_id=request.tax_exemption_id)
    call.add_audit_subjects("tax_exemption", request.tax_exemption_id)
    return Done(message=call.translate("tax_exemption_deleted"))


@reads(
    "get_tax_settings",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("taxSettings")),
)
async def get_tax_settings(call: Call, request: EmptyRequest) -> TaxSettings:
    """Get the tax settings."""
    return await _settings(call)


@writes(
    "set_tax_settings",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setTaxSettings")),
)
async def set_tax_settings(call: Call, request: SetTaxSettings) -> TaxSettings:
    """Set jurisdiction, rounding and net prices.

    Rounding applies to invoices issued from now on, net prices to charges from now on.
    """
    row = await store.lock_settings(call.work, call.now)
    values = request.model_dump(mode="json")
    await TaxSettingRow.update(call.work, row.id, {**values, "updated_at": call.now})
    return await _settings(call)


@reads(
    "preview_tax",
    audience=OFFICE,
    scopes=READ,
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
    interfaces=(Rest("GET", "/v1/billing/tax-preview"), GraphQL("taxPreview")),
)
async def preview_tax(call: Call, request: PreviewTax) -> TaxPreview:
    """Preview the taxes of an amount.

    Uses the tax rates of the place and product class, and the customer's exemptions.
    """
    if request.region and not request.country:
        raise INVALID_REQUEST.for_fields(FieldError("country", "field.missing"))
    if request.customer_id is not None:
        await require_customer(call.work, request.customer_id)
    place = TaxPlace(request.country, request.region) if request.country else None
    found = await taxes_for(
        call,
        request.customer_id,
        request.amount_minor,
        request.product_class,
        place=place,
        on=request.day,
        includes_tax=request.includes_tax,
    )
    if found is None:
        return TaxPreview(applies=False, taxes=[])
    return TaxPreview(
        applies=True,
        net_minor=found.net_minor,
        gross_minor=found.gross_minor,
        taxes=[record(PreviewedTax, tax, rate_ppm=tax.ppm, tax_minor=tax.amount_minor) for tax in found.taxes],
        exemption_kind=found.exemption and found.exemption.kind,
        exemption_number=found.exemption and found.exemption.number,
    )


async def _settings(call: Call) -> TaxSettings:
    home, row = await load_home(call), await store.get_settings(call.work)
    return TaxSettings(
        country=home and home.country,
        region=row.region if row else None,
        rounding=TaxRounding(row.rounding) if row else TaxRounding.LINE,
        prices_include_tax=includes_tax_of(row),
    )


def _rate(row: TaxRateRow) -> TaxRate:
    return record(
        TaxRate,
        row,
        rate_bp=rate_in_bp(row.rate_ppm),
        product_class=ProductClass(row.product_class) if row.product_class else None,
    )


def _exemption(row: TaxExemptionRow) -> TaxExemption:
    return record(TaxExemption, row, kind=ExemptionKind(row.kind))
