"""The client's own profile: time zone, currency, modules, opt-in families, and which prices customers see."""

from typing import Any

from haulier.contexts.identity.accounts.contract.client import (
    ClientProfile,
    CustomerRef,
    ModuleChange,
    PriceVisibility,
    SetFeature,
    SetModule,
    SetPriceVisibility,
    UpdateClient,
)
from haulier.contexts.identity.accounts.queries.clients import require_client
from haulier.contexts.identity.accounts.queries.users import require_customer
from haulier.contexts.identity.accounts.rules.currency import CURRENCY_FIXED, require_currency_changeable
from haulier.contexts.identity.accounts.rules.features import (
    FEATURE_REVOKED,
    MODULE_HOLDS_WORK,
    require_feature_not_revoked,
    with_switch,
)
from haulier.contexts.identity.accounts.rules.languages import LANGUAGE_SETTING
from haulier.contexts.identity.accounts.rules.users import NOT_A_CUSTOMER
from haulier.contexts.identity.accounts.serializers import to_client_facts
from haulier.contexts.identity.accounts.store import clients as client_store
from haulier.contexts.identity.accounts.store import users as user_store
from haulier.contexts.identity.ports import LeftBehind, OrderActivity, WorkGivenBack
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@reads(
    "get_client",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    doors=(Rest("GET", "/v1/client/profile", area=Area.CLIENT), GraphQL("clientProfile")),
)
async def get_client(call: Call, request: EmptyRequest) -> ClientProfile:
    """The business that the caller belongs to."""
    return ClientProfile(client=to_client_facts(await require_client(call.work, call.client_id)))


@writes(
    "update_client",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/client/profile", area=Area.CLIENT), GraphQL("updateClient")),
    errors=(CURRENCY_FIXED,),
)
async def update_client(call: Call, request: UpdateClient) -> ClientProfile:
    """Change the business's name, language, time zone, country, or, while it has no orders, its currency."""
    client = await require_client(call.work, call.client_id, lock=True)
    if request.currency and request.currency != client.currency:
        require_currency_changeable(client.currency, traded=await call.adapter(OrderActivity).has_orders(call))
    values = request.model_dump(exclude_none=True, exclude={"language"})
    if request.language:
        values["settings"] = {**client.settings, LANGUAGE_SETTING: request.language}
    return await _update_client(call, values)


@writes(
    "set_module",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/client/profile/modules/{module}", area=Area.CLIENT), GraphQL("setModule")),
    errors=(MODULE_HOLDS_WORK,),
)
async def set_module(call: Call, request: SetModule) -> ModuleChange:
    """Switch a module of the platform on or off. Calls into a module that is off answer 403.

    One that work waits for is switched off only with `give_back`: what only the module could give back is given back, and the
    answer, also that of a dry run, says how much.
    """
    client = await require_client(call.work, call.client_id, lock=True)
    was_on = request.module in client.modules
    changed = await _update_client(call, {"modules": with_switch(client.modules, request.module, on=request.enabled)})
    switched_off = was_on and not request.enabled
    work = call.adapter(WorkGivenBack)
    left_behind = await work.give_back_of_module(call, request.module) if switched_off else LeftBehind()
    if not request.give_back and (left_behind.orders_given_back or left_behind.orders_on_routes):
        raise MODULE_HOLDS_WORK(given_back=left_behind.orders_given_back, on_routes=left_behind.orders_on_routes)
    return ModuleChange(client=changed.client, left_behind=left_behind)


@writes(
    "set_feature",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/client/profile/features/{feature}", area=Area.CLIENT), GraphQL("setFeature")),
    errors=(FEATURE_REVOKED,),
)
async def set_feature(call: Call, request: SetFeature) -> ClientProfile:
    """Switch an opt-in family on or off. Calls into a family that is off answer 409 with `feature_enabled: false`."""
    client = await require_client(call.work, call.client_id, lock=True)
    if request.enabled:
        require_feature_not_revoked(request.feature, client.settings)
    return await _update_client(call, {"features": with_switch(client.features, request.feature, on=request.enabled)})


async def _update_client(call: Call, values: dict[str, Any]) -> ClientProfile:
    if values:
        await client_store.update_client_row(call.work, call.client_id, **values)
    call.add_audit_subjects("client", call.client_id)
    return ClientProfile(client=to_client_facts(await require_client(call.work, call.client_id)))


@writes(
    "set_price_visibility",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("PUT", "/v1/client/profile/price-visibility/{customer_id}", area=Area.CLIENT),
        GraphQL("setPriceVisibility"),
    ),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def set_price_visibility(call: Call, request: SetPriceVisibility) -> PriceVisibility:
    """Choose the order families whose prices a customer account does not see.

    It counts from the customer's next call. Every answer of a hidden family then leaves its prices out and says so.
    """
    user = await require_customer(call.work, request.customer_id, lock=True)
    hidden = sorted(request.hidden)
    await user_store.update_user_row(call.work, user.id, hidden_prices=hidden)
    call.add_audit_subjects("user", user.id)
    return PriceVisibility(customer_id=user.id, hidden=[*hidden])


@reads(
    "get_price_visibility",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    doors=(
        Rest("GET", "/v1/client/profile/price-visibility/{customer_id}", area=Area.CLIENT),
        GraphQL("priceVisibility"),
    ),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def get_price_visibility(call: Call, request: CustomerRef) -> PriceVisibility:
    """The order families whose prices a customer account does not see."""
    user = await require_customer(call.work, request.customer_id)
    return PriceVisibility(customer_id=user.id, hidden=user.hidden_prices)
