"""Operations on the freight tariff."""

from msgspec import convert

from haulier.contexts.freight.tariffs import store
from haulier.contexts.freight.tariffs.contract import FreightTariff, FreightTariffAnswer, SetFreightTariff
from haulier.contexts.freight.tariffs.store import FreightTariffRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope

PATH = "/v1/freight/tariff"


@reads(
    "get_freight_tariff",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("freightTariff")),
)
async def get_freight_tariff(call: Call, request: EmptyRequest) -> FreightTariffAnswer:
    """Get the freight tariff.

    Includes when shipments are charged and the periods of claims.
    """
    return _answer(await store.get_tariff_row(call.work))


@writes(
    "set_freight_tariff",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", PATH), GraphQL("setFreightTariff")),
)
async def set_freight_tariff(call: Call, request: SetFreightTariff) -> FreightTariffAnswer:
    """Set the freight tariff.

    Applies to shipments created or changed from now on. Existing shipments keep their price.
    """
    values = {
        "terms": request.model_dump(mode="json"),
        "currency": call.business.currency,
        "updated_at": call.now,
    }
    row = await FreightTariffRow.lock_or_insert(call.work, values)
    await FreightTariffRow.update(call.work, row.id, values)
    call.add_audit_subjects("freight_tariff", row.id)
    return _answer(await store.get_tariff_row(call.work))


def _answer(row: FreightTariffRow | None) -> FreightTariffAnswer:
    if row is None:
        return FreightTariffAnswer(freight_tariff=None)
    terms = {**row.terms, "currency": row.currency, "updated_at": row.updated_at}
    return FreightTariffAnswer(freight_tariff=convert(terms, FreightTariff))
