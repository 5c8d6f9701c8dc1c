"""An account with a carrier is closed, once nothing is owed any more."""

from haulier.contexts.shipping.accounts.actions import close_account
from haulier.contexts.shipping.accounts.contract.accounts import CarrierAccountRef
from haulier.contexts.shipping.accounts.rules.accounts import CARRIER_ACCOUNT_IN_USE
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Account, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "close_carrier_account",
    allowed_where={"active": True},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.LABELS_WRITE},
    risk=Risk.HIGH,
    doors=(
        Rest("DELETE", "/v1/carrier-accounts/{account_id}", area=Area.SHIPPING),
        GraphQL("closeCarrierAccount"),
    ),
    errors=(NOT_FOUND, CARRIER_ACCOUNT_IN_USE),
)
async def close_carrier_account(call: Call, request: CarrierAccountRef) -> Done:
    """Ship with an account no more. Its credentials are deleted, so it is refused while its carrier owes an answer."""
    if owed := await store.count_owed(call.work, request.account_id):
        raise CARRIER_ACCOUNT_IN_USE(count=owed)
    await close_account(call, request.account_id)
    return Done(message=call.translate("carrier_account_closed"))
