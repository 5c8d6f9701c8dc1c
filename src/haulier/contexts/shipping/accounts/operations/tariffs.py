"""The tariff of the house carrier: see and set it."""

from haulier.contexts.shipping.accounts import store
from haulier.contexts.shipping.accounts.actions import write_account
from haulier.contexts.shipping.accounts.contract.accounts import CarrierAccountRef, HouseTariffAnswer, SetHouseTariff
from haulier.contexts.shipping.accounts.rules.accounts import HOUSE
from haulier.contexts.shipping.accounts.serializers import house_tariff
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/carrier-accounts/{account_id}/tariff"


@reads(
    "get_house_tariff",
    audience=OFFICE,
    scopes={Scope.LABELS_READ},
    doors=(Rest("GET", PATH), GraphQL("houseTariff")),
    errors=(NOT_FOUND,),
)
async def get_house_tariff(call: Call, request: CarrierAccountRef) -> HouseTariffAnswer:
    """Show what the client's own carrier charges; what it begins with, while nobody set a tariff."""
    return HouseTariffAnswer(tariff=house_tariff(await _house_account(call, request.account_id)))


@writes(
    "set_house_tariff",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("PUT", PATH), GraphQL("setHouseTariff")),
    errors=(NOT_FOUND,),
)
async def set_house_tariff(call: Call, request: SetHouseTariff) -> HouseTariffAnswer:
    """Replace the tariff of the client's own carrier. Rates that were quoted hold as long as they said."""
    row = await _house_account(call, request.account_id, lock=True)
    await write_account(call, row.id, {"tariff": request.tariff.model_dump_json()})
    return HouseTariffAnswer(tariff=house_tariff(await _house_account(call, row.id)))


async def _house_account(call: Call, account_id: int, *, lock: bool = False) -> store.CarrierAccountRow:
    row = await store.get_account_row(call.work, account_id, lock=lock)
    if row is None or row.carrier != HOUSE:
        raise record_not_found(account_id=account_id)
    return row
