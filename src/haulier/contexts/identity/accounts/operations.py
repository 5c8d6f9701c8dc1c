"""Operations on accounts."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from haulier.contexts.identity.accounts import actions
from haulier.contexts.identity.accounts.actions import IssuedAccessToken, require_session
from haulier.contexts.identity.accounts.contract import (
    ApiToken,
    ApiTokenList,
    ApiTokenRef,
    ClientProfile,
    CreateUser,
    CustomerRef,
    DisabledUser,
    IssueApiToken,
    IssuedApiToken,
    ListApiTokens,
    ListUsers,
    ModuleChange,
    PriceVisibility,
    RotateApiToken,
    SetFeature,
    SetModule,
    SetPriceVisibility,
    UpdateClient,
    UpdateUser,
    UserDetail,
    UserList,
    UserRef,
)
from haulier.contexts.identity.accounts.notifications import CredentialChange, enqueue_security_notice
from haulier.contexts.identity.accounts.queries import (
    find_business_names,
    find_granted_scopes,
    find_user,
    reach_of_account,
    require_account_grantable,
    require_client,
    require_customer,
    require_user,
)
from haulier.contexts.identity.accounts.rules import (
    ACCOUNT_FIXED,
    CURRENCY_FIXED,
    EMAIL_TAKEN,
    FEATURE_REVOKED,
    LANGUAGE_SETTING,
    LAST_ADMIN,
    MODULE_HOLDS_WORK,
    NOT_A_CUSTOMER,
    NOT_A_PROVIDER,
    SCOPES_BY_ACCOUNT,
    SESSION_REQUIRED,
    TOKEN_ENDED,
    TokenFilter,
    TokenKind,
    TokenState,
    delegated_scopes,
    effective_scopes,
    enabled_modules,
    require_account_changeable,
    require_currency_changeable,
    require_feature_not_revoked,
    require_strong_password,
    require_test_email,
    require_token_active,
    switched_modules,
    token_state,
    with_switch,
)
from haulier.contexts.identity.accounts.serializers import to_client_facts, to_user_record
from haulier.contexts.identity.accounts.store import tokens as tokens_store
from haulier.contexts.identity.accounts.store import users as users_store
from haulier.contexts.identity.accounts.store.tokens import TokenListRow, TokenRow, list_token_rows
from haulier.contexts.identity.accounts.store.users import UserRow
from haulier.contexts.identity.events import ClientCountrySet
from haulier.contexts.identity.ports import LeftBehind, OrderActivity, WorkRelease
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Area, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, SCOPES_EXCEEDED
from haulier.kernel.operations.records import record
from haulier.kernel.operations.scope_profiles import UNKNOWN_PROFILE, get_profile_scopes
from haulier.kernel.pipeline.reach import NOTHING
from haulier.kernel.principal import Business
from haulier.kernel.request_context import RequestContext


@reads(
    "get_client",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/client/profile", area=Area.CLIENT), GraphQL("clientProfile")),
)
async def get_client(call: Call, request: EmptyRequest) -> ClientProfile:
    """Get your business."""
    return ClientProfile(client=to_client_facts(await require_client(call.work, call.client_id)))


@writes(
    "update_client",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/client/profile", area=Area.CLIENT), GraphQL("updateClient")),
    errors=(CURRENCY_FIXED,),
)
async def update_client(call: Call, request: UpdateClient) -> ClientProfile:
    """Update your business.

    Changes its name, language, time zone, country, or, until it has orders, its currency. A new country adds its
    standard tax rates, once.
    """
    client = await require_client(call.work, call.client_id, lock=True)
    if request.currency and request.currency != client.currency:
        require_currency_changeable(client.currency, traded=await call.adapter(OrderActivity).has_orders(call))
    values = request.model_dump(exclude_none=True, exclude={"language"})
    if request.language:
        values["settings"] = {**client.settings, LANGUAGE_SETTING: request.language}
    if request.country and request.country != client.country:
        await call.publish(ClientCountrySet(country=request.country))
    return await _update_client(call, values)


@writes(
    "set_module",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/client/profile/modules/{module}", area=Area.CLIENT), GraphQL("setModule")),
    errors=(MODULE_HOLDS_WORK,),
)
async def set_module(call: Call, request: SetModule) -> ModuleChange:
    """Enable or disable a module.

    A disabled module is hidden from menus and tool lists, and calls into it return 403. Its records are kept, and its
    background work continues. `packing` and `locker_commerce` extend `warehouse` and `lockers`: they are disabled with
    them and enable them. Contractor assignments with pending work are disabled only with `give_back`: that work is
    released, and the response, also of a dry run, has the numbers.
    """
    client = await require_client(call.work, call.client_id, lock=True)
    was_on = request.module in enabled_modules(client.modules, client.settings)
    changed = await _update_client(
        call, switched_modules(client.modules, client.settings, request.module, on=request.enabled)
    )
    switched_off = was_on and not request.enabled
    work = call.adapter(WorkRelease)
    left_behind = await work.release_for_module(call, request.module) if switched_off else LeftBehind()
    if not request.give_back and (left_behind.orders_given_back or left_behind.orders_on_routes):
        raise MODULE_HOLDS_WORK(given_back=left_behind.orders_given_back, on_routes=left_behind.orders_on_routes)
    return ModuleChange(client=changed.client, left_behind=left_behind)


@writes(
    "set_feature",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/client/profile/features/{feature}", area=Area.CLIENT), GraphQL("setFeature")),
    errors=(FEATURE_REVOKED,),
)
async def set_feature(call: Call, request: SetFeature) -> ClientProfile:
    """Enable or disable an opt-in feature.

    Calls into a disabled feature return 409 with `feature_enabled: false`.
    """
    client = await require_client(call.work, call.client_id, lock=True)
    if request.enabled:
        require_feature_not_revoked(request.feature, client.settings)
    return await _update_client(call, {"features": with_switch(client.features, request.feature, on=request.enabled)})


async def _update_client(call: Call, values: dict[str, Any]) -> ClientProfile:
    if values:
        await users_store.update_client_row(call.work, call.client_id, **values)
    call.add_audit_subjects("client", call.client_id)
    return ClientProfile(client=to_client_facts(await require_client(call.work, call.client_id)))


@writes(
    "set_price_visibility",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("PUT", "/v1/client/profile/price-visibility/{customer_id}", area=Area.CLIENT),
        GraphQL("setPriceVisibility"),
    ),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def set_price_visibility(call: Call, request: SetPriceVisibility) -> PriceVisibility:
    """Hide prices from a customer.

    Sets the order families whose prices the customer does not see, from the next call on. Responses of a hidden family
    omit the prices and say so.
    """
    user = await require_customer(call.work, request.customer_id, lock=True)
    hidden = sorted(request.hidden)
    await users_store.update_user_row(call.work, user.id, hidden_prices=hidden)
    call.add_audit_subjects("user", user.id)
    return PriceVisibility(customer_id=user.id, hidden=[*hidden])


@reads(
    "get_price_visibility",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(
        Rest("GET", "/v1/client/profile/price-visibility/{customer_id}", area=Area.CLIENT),
        GraphQL("priceVisibility"),
    ),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def get_price_visibility(call: Call, request: CustomerRef) -> PriceVisibility:
    """Get the prices hidden from a customer."""
    user = await require_customer(call.work, request.customer_id)
    return PriceVisibility(customer_id=user.id, hidden=user.hidden_prices)


@writes(
    "issue_api_token",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/tokens", status=201), GraphQL("issueApiToken")),
    errors=(SCOPES_EXCEEDED, UNKNOWN_PROFILE, NOT_FOUND, NOT_A_PROVIDER),
)
async def issue_api_token(call: Call, request: IssueApiToken) -> IssuedApiToken:
    """Issue an API token.

    Its text is shown once. A token never has more scopes than the one that issues it, ends no later than that one, and
    ends with it. Admins may issue tokens for provider accounts too. With `test`, the token is for your test business,
    whose carriers, payments and messages are simulated; the first one creates it.
    """
    bearer = call.actor or 0
    limit = call.principal.scopes
    if request.provider_id is not None:
        bearer = await _provider_id(call, request.provider_id)
        limit &= SCOPES_BY_ACCOUNT[Account.PROVIDER]
    scopes = delegated_scopes(request.scopes, request.profile, limit, whole=request.provider_id is not None)
    parent = await actions.lock_parent_token(call.work, call.principal.token_id, call.now)
    client, issuer = call.business, call.actor
    if request.test and not client.test:
        in_test = await actions.ensure_test_user(call, bearer)
        client, bearer, issuer = in_test.business, in_test.user_id, in_test.user_id
    issued = await actions.issue_access_token(
        call.work,
        client_id=client.id,
        user_id=bearer,
        now=call.now,
        kind=TokenKind.API,
        lifetime=timedelta(days=request.expires_in_days),
        scopes=scopes,
        name=request.name,
        issued_by=issuer,
        prefix=_api_prefix(client),
        parent=parent,
    )
    call.add_audit_subjects("token", issued.id)
    return _issued_token(issued, scopes, client)


def _api_prefix(client: Business) -> str | None:
    return actions.TEST_TOKEN_PREFIX if client.test else None


def _issued_token(issued: IssuedAccessToken, scopes: Iterable[Scope], client: Business) -> IssuedApiToken:
    return IssuedApiToken(
        id=issued.id,
        access_token=issued.token,
        scopes=sorted(scopes),
        expires_at=issued.expires_at,
        test=client.test,
    )


async def _provider_id(call: Call, user_id: int) -> int:
    user = await find_user(call.work, user_id)
    if user is None or call.principal.account is not Account.CLIENT_ADMIN:
        raise NOT_FOUND()
    if user.account != Account.PROVIDER:
        raise NOT_A_PROVIDER(user_id=user_id)
    return user.id


@reads(
    "list_api_tokens",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/tokens"), GraphQL("apiTokens")),
    errors=(NOT_FOUND, UNKNOWN_PROFILE),
)
async def list_api_tokens(call: Call, request: ListApiTokens) -> ApiTokenList:
    """List API tokens, newest first.

    Lists your own tokens; admins can list those of any or all users. Expired and revoked tokens are listed on request.
    """
    token_filter = _token_filter(call, request)
    rows, total = await list_token_rows(
        call.work, token_filter, call.now, limit=request.per_page, offset=request.offset
    )
    records = [_api_token(row, call.now) for row in rows]
    return ApiTokenList(total=total, page=request.page, per_page=request.per_page, tokens=records)


def _api_token(row: TokenListRow, now: datetime) -> ApiToken:
    return record(ApiToken, row, state=token_state(row.revoked_at, row.expires_at, now))


def _token_filter(call: Call, request: ListApiTokens) -> TokenFilter:
    """Return the filter of a request.

    Raises `NOT_FOUND` for other users' tokens if the caller is no admin, and `UNKNOWN_PROFILE`.
    """
    owner = request.user_id or (None if request.all_users else call.actor or 0)
    if owner != call.actor and call.principal.account is not Account.CLIENT_ADMIN:
        raise NOT_FOUND()
    held = get_profile_scopes(request.profile) if request.profile else frozenset[Scope]()
    return TokenFilter(
        kind=TokenKind.API,
        owner=owner,
        state=request.state,
        text=request.search,
        scopes=held | ({request.scope} if request.scope else set()),
    )


@writes(
    "revoke_api_token",
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/tokens/{token_id}"), GraphQL("revokeApiToken")),
    errors=(NOT_FOUND,),
)
async def revoke_api_token(call: Call, request: ApiTokenRef) -> Done:
    """Revoke an API token.

    Your own, or for admins any of the client's. Everything that the token issued ends with it: other tokens, and agents
    connected with it. Repeating the call changes nothing.
    """
    token = await tokens_store.get_token(call.work, request.token_id)
    allowed = token and (token.user_id == call.actor or call.principal.account is Account.CLIENT_ADMIN)
    if token is None or not allowed or token.kind != TokenKind.API:
        raise NOT_FOUND()
    await actions.end_token(call.work, token.id, call.now)
    call.add_audit_subjects("token", token.id)
    return Done(message=call.translate("token_revoked"))


@writes(
    "rotate_api_token",
    available_when={"state": TokenState.ACTIVE.value},
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/tokens/{token_id}/rotate"), GraphQL("rotateApiToken")),
    errors=(NOT_FOUND, SCOPES_EXCEEDED, TOKEN_ENDED),
)
async def rotate_api_token(call: Call, request: RotateApiToken) -> IssuedApiToken:
    """Rotate an API token.

    The token gets a new text with the same name and scopes. The old text ends at once or after an overlap, with
    everything that it issued. You can rotate your own tokens, admins also those of providers, but none with more rights
    than the caller. A token that rotates itself does not extend its lifetime; a signed-in user may extend it.
    """
    old = await tokens_store.get_token(call.work, request.token_id, lock=True)
    if old is None or old.kind != TokenKind.API or not _may_see_token_text(call, old):
        raise NOT_FOUND()
    require_token_active(old.revoked_at, old.expires_at, call.now)
    scopes = delegated_scopes(effective_scopes(Account(old.account), old.scopes), None, call.principal.scopes)
    caller = await actions.lock_parent_token(call.work, call.principal.token_id, call.now)
    parent = caller if caller and caller.id != old.id else await _parent_of(call, old)
    longest = [call.now + timedelta(days=request.expires_in_days), *([caller.expires_at] if caller else [])]
    issued = await actions.issue_access_token(
        call.work,
        client_id=call.client_id,
        user_id=old.user_id,
        now=call.now,
        kind=TokenKind.API,
        lifetime=min(longest) - call.now,
        scopes=scopes,
        name=old.name,
        issued_by=call.actor,
        prefix=_api_prefix(call.business),
        parent=parent,
    )
    if request.overlap_min:
        await actions.shorten_token(call.work, old.id, call.now + timedelta(minutes=request.overlap_min))
    else:
        await actions.end_token(call.work, old.id, call.now)
    call.add_audit_subjects("token", old.id, issued.id)
    return _issued_token(issued, scopes, call.business)


async def _parent_of(call: Call, token: TokenRow) -> TokenRow | None:
    """Return the issuing token, which also issues the new text, or None."""
    return await actions.lock_parent_token(call.work, token.parent_id, call.now)


def _may_see_token_text(call: Call, token: TokenRow) -> bool:
    """Return True if the caller may see a token's text.

    With a colleague's token an admin could act in their name.
    """
    is_provider_token = call.principal.account is Account.CLIENT_ADMIN and token.account == Account.PROVIDER
    return is_provider_token or token.user_id == call.actor


async def hash_first_password(context: RequestContext, request: CreateUser) -> str | None:
    """Hash the password of a new user, outside the writer.

    Raises `INVALID_REQUEST` for a weak one.
    """
    if request.password is None:
        return None
    password = request.password.get_secret_value()
    async with context.app.database.read(context.principal.client_id) as work:
        business = await find_business_names(work, context.principal.client_id or 0)
    require_strong_password(password, request.email, request.name, field="password", business=business)
    return await actions.hash_password(password)


@writes(
    "create_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/users", status=201), GraphQL("createUser")),
    errors=(EMAIL_TAKEN, SCOPES_EXCEEDED),
    prepare=hash_first_password,
)
async def create_user(call: Call, request: CreateUser) -> UserDetail:
    """Create a user of the business.

    An employee, contractor, driver, customer, provider or another admin. The rights of the account must be within the
    scopes of the caller's token.
    """
    user_id = await actions.create_user_within(
        call, email=request.email, name=request.name, account=request.account, password_hash=call.prepared
    )
    return await _user_detail(call, user_id)


@reads(
    "list_users",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/users"), GraphQL("users")),
)
async def list_users(call: Call, request: ListUsers) -> UserList:
    """List users by name."""
    rows, total = await users_store.list_user_rows(
        call.work,
        account=request.account,
        active=request.active,
        text=request.search,
        limit=request.per_page,
        offset=request.offset,
    )
    return UserList(
        total=total, page=request.page, per_page=request.per_page, users=[to_user_record(row) for row in rows]
    )


@reads(
    "get_user",
    audience=OFFICE,
    scopes={Scope.ACCOUNT_READ},
    interfaces=(Rest("GET", "/v1/users/{user_id}"), GraphQL("user")),
    errors=(NOT_FOUND,),
)
async def get_user(call: Call, request: UserRef) -> UserDetail:
    """Get a user."""
    return await _user_detail(call, request.user_id)


@writes(
    "update_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/users/{user_id}"), GraphQL("updateUser")),
    errors=(NOT_FOUND, EMAIL_TAKEN, ACCOUNT_FIXED, LAST_ADMIN, SCOPES_EXCEEDED, SESSION_REQUIRED),
)
async def update_user(call: Call, request: UpdateUser) -> UserDetail:
    """Update a user.

    Changes the name, email address, or the account between client admin and employee. The address is used for sign-in,
    so changing it needs all rights of the user. Another account needs the rights that it adds, and a signed-in admin:
    API tokens cannot change it.
    """
    user = await require_user(call.work, request.user_id, lock=True)
    if request.account:
        require_account_changeable(Account(user.account), request.account)
        if request.account is not Account.CLIENT_ADMIN:
            await actions.require_other_admin(call.work, user)
        if request.account != user.account:
            await require_session(call.work, call.principal.token_id, call.now)
    await _require_change_grantable(call, user, request)
    if request.email and call.business.test:
        require_test_email(request.email)
    values = request.model_dump(exclude={"user_id"}, exclude_none=True)
    try:
        if values:
            await users_store.update_user_row(call.work, user.id, **values)
    except UniqueConflict:
        raise EMAIL_TAKEN(email=request.email) from None
    if request.email and request.email != user.email:
        for address in (user.email, request.email):  # also to the old address, to alert its owner
            await enqueue_security_notice(
                call,
                CredentialChange.EMAIL,
                client_id=call.client_id,
                user_id=user.id,
                to=address,
                detail=request.email,
            )
    await actions.sync_test_user(call, user.id)
    call.add_audit_subjects("user", user.id)
    return await _user_detail(call, user.id)


@writes(
    "disable_user",
    available_when={"active": True},
    reversed_by="enable_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/users/{user_id}/disable"), GraphQL("disableUser")),
    errors=(NOT_FOUND, LAST_ADMIN),
)
async def disable_user(call: Call, request: UserRef) -> DisabledUser:
    """Disable a user.

    Every session and token of the user stops working at once. Their records are kept. Orders and routes assigned to a
    contractor or driver are released; the response, also of a dry run, lists them.
    """
    left_behind = await actions.disable_user_account(call, request.user_id)
    return DisabledUser(user=(await _user_detail(call, request.user_id)).user, left_behind=left_behind)


@writes(
    "enable_user",
    available_when={"active": False},
    reversed_by="disable_user",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ACCOUNT_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/users/{user_id}/enable"), GraphQL("enableUser")),
    errors=(NOT_FOUND, SCOPES_EXCEEDED),
)
async def enable_user(call: Call, request: UserRef) -> UserDetail:
    """Enable a disabled user.

    Revoked tokens stay revoked. The rights of the user must be within the scopes of the caller's token.
    """
    await actions.enable_user_account(call, request.user_id)
    return await _user_detail(call, request.user_id)


async def _require_change_grantable(call: Call, user: UserRow, request: UpdateUser) -> None:
    """Require that a change grants no more than the caller has.

    Raises `SCOPES_EXCEEDED`.
    """
    account, granted = Account(user.account), await find_granted_scopes(call.work, user.id)
    before = reach_of_account(call, account, granted) if request.email in {None, user.email} else NOTHING
    require_account_grantable(call, request.account or account, granted, before=before)


async def _user_detail(call: Call, user_id: int) -> UserDetail:
    return UserDetail(user=to_user_record(await require_user(call.work, user_id)))
