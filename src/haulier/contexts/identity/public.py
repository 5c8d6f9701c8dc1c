"""Public interface of identity for contexts, command line and demo data."""

from collections.abc import Collection
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.contexts.identity.accounts import actions, notifications
from haulier.contexts.identity.accounts.actions import IssuedAccessToken as IssuedAccessToken
from haulier.contexts.identity.accounts.actions import add_user as add_user
from haulier.contexts.identity.accounts.actions import begin_sample_data as begin_sample_data
from haulier.contexts.identity.accounts.actions import check_password_hash as check_password_hash
from haulier.contexts.identity.accounts.actions import clear_failures as clear_failures
from haulier.contexts.identity.accounts.actions import count_failure as count_failure
from haulier.contexts.identity.accounts.actions import delete_test_users as delete_test_users
from haulier.contexts.identity.accounts.actions import disable_user_account as disable_user_account
from haulier.contexts.identity.accounts.actions import enable_user_account as enable_user_account
from haulier.contexts.identity.accounts.actions import end_sample_data as end_sample_data
from haulier.contexts.identity.accounts.actions import end_token as end_token
from haulier.contexts.identity.accounts.actions import end_tokens as end_tokens
from haulier.contexts.identity.accounts.actions import find_lapses as find_lapses
from haulier.contexts.identity.accounts.actions import get_set_up_columns as get_set_up_columns
from haulier.contexts.identity.accounts.actions import hash_password as hash_password
from haulier.contexts.identity.accounts.actions import issue_access_token as issue_access_token
from haulier.contexts.identity.accounts.actions import list_entitled as list_entitled
from haulier.contexts.identity.accounts.actions import lock_parent_token as lock_parent_token
from haulier.contexts.identity.accounts.actions import shorten_token as shorten_token
from haulier.contexts.identity.accounts.notifications import CredentialChange as CredentialChange
from haulier.contexts.identity.accounts.notifications import MailRecipient as MailRecipient
from haulier.contexts.identity.accounts.notifications import can_send_mail as can_send_mail
from haulier.contexts.identity.accounts.notifications import enqueue_security_notice as enqueue_security_notice
from haulier.contexts.identity.accounts.notifications import send_mail_to as send_mail_to
from haulier.contexts.identity.accounts.notifications import send_mail_to_address as send_mail_to_address
from haulier.contexts.identity.accounts.queries import ClientRow as ClientRow
from haulier.contexts.identity.accounts.queries import SetUpBy as SetUpBy
from haulier.contexts.identity.accounts.queries import UserRow as UserRow
from haulier.contexts.identity.accounts.queries import UserWithClientRow as UserWithClientRow
from haulier.contexts.identity.accounts.queries import find_all_client_codes, find_client_id, find_user, find_users
from haulier.contexts.identity.accounts.queries import find_all_client_ids as find_all_client_ids
from haulier.contexts.identity.accounts.queries import find_client_countries as find_client_countries
from haulier.contexts.identity.accounts.queries import find_failed_sign_ins as find_failed_sign_ins
from haulier.contexts.identity.accounts.queries import find_user_by_email as find_user_by_email
from haulier.contexts.identity.accounts.queries import get_absent_principal as get_absent_principal
from haulier.contexts.identity.accounts.queries import is_customer as is_customer
from haulier.contexts.identity.accounts.queries import list_all_clients as list_all_clients
from haulier.contexts.identity.accounts.queries import list_standing_principals as list_standing_principals
from haulier.contexts.identity.accounts.queries import require_account_grantable as require_account_grantable
from haulier.contexts.identity.accounts.queries import require_client as require_client
from haulier.contexts.identity.accounts.queries import require_customer as require_customer
from haulier.contexts.identity.accounts.queries import require_customer_ids as require_customer_ids
from haulier.contexts.identity.accounts.queries import require_user as require_user
from haulier.contexts.identity.accounts.queries import resolve_customer as resolve_customer
from haulier.contexts.identity.accounts.rules import EMAIL_TAKEN as EMAIL_TAKEN
from haulier.contexts.identity.accounts.rules import LAST_ADMIN as LAST_ADMIN
from haulier.contexts.identity.accounts.rules import (
    LENGTH_MIN,
    REVOKED_FEATURES_SETTING,
    SUSPENDED_SETTING,
    TEST_BUSINESS_SETTING,
    TokenKind,
    client_language,
    effective_scopes,
    hidden_price_families,
    is_suspended,
    make_email_placeholder,
    password_weakness,
    revoked_features,
    with_switch,
)
from haulier.contexts.identity.accounts.rules import is_test_business as is_test_business
from haulier.contexts.identity.accounts.rules import permitted_scopes as permitted_scopes
from haulier.contexts.identity.accounts.rules import require_test_email as require_test_email
from haulier.contexts.identity.accounts.rules import seconds_until_retry as seconds_until_retry
from haulier.contexts.identity.fields import validate_time_zone
from haulier.contexts.identity.invitations.actions import send_first_invitation
from haulier.contexts.identity.invitations.contract import InviteUser
from haulier.contexts.identity.invitations.rules import ALREADY_INVITED as ALREADY_INVITED
from haulier.contexts.identity.ports import LeftBehind as LeftBehind
from haulier.contexts.identity.ports import MailAttachment as MailAttachment
from haulier.contexts.identity.ports import MailBrands as MailBrands
from haulier.contexts.identity.ports import Operators
from haulier.contexts.identity.server_setup.actions import has_accounts as has_accounts
from haulier.contexts.identity.server_setup.actions import make_setup_link as make_setup_link
from haulier.contexts.identity.sessions.actions import SIGN_IN_LIMITS as SIGN_IN_LIMITS
from haulier.contexts.identity.sessions.actions import VerifiedPassword as VerifiedPassword
from haulier.contexts.identity.sessions.actions import record_sign_in as record_sign_in
from haulier.contexts.identity.sessions.actions import verify_password as verify_password
from haulier.contexts.identity.sign_in_links.actions import SignInLinkRow as SignInLinkRow
from haulier.contexts.identity.sign_in_links.actions import list_sign_in_links as list_sign_in_links
from haulier.contexts.identity.sign_in_links.actions import make_sign_in_link as make_sign_in_link
from haulier.contexts.identity.sign_in_links.actions import revoke_sign_in_link as revoke_sign_in_link
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import OFFICE, Account, Feature, Module, Scope
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.scope_profiles import DEFAULT_PROFILE, get_profile_scopes
from haulier.kernel.principal import Business, Principal
from haulier.kernel.values.currencies import validate_currency

PASSWORD_LENGTH_MIN = LENGTH_MIN
"""Minimum length of a password."""


class UserFacts(Struct, frozen=True, kw_only=True):
    """A user, as other contexts see one."""

    id: int
    name: str
    email: str
    account: Account
    active: bool


async def get_users_by_id(call: Call, ids: Collection[int]) -> dict[int, UserFacts]:
    """Return users of this client by id, in one statement; disabled ones too."""
    rows = await find_users(call.work, ids)
    return {
        row.id: UserFacts(id=row.id, name=row.name, email=row.email, account=Account(row.account), active=row.active)
        for row in rows
    }


async def get_user_of_account(call: Call, id: int, account: Account) -> UserFacts | None:
    """Return the active user of this client with an id and account kind, or None."""
    user = (await get_users_by_id(call, [id])).get(id)
    return user if user and user.active and user.account is account else None


async def require_office_user(call: Call, **field: int) -> UserFacts:
    """Return the active admin or employee whose id is in `field`. Raises `NOT_FOUND`."""
    (id,) = field.values()
    user = (await get_users_by_id(call, [id])).get(id)
    if user is None or not user.active or user.account not in OFFICE:
        raise record_not_found(**field)
    return user


async def is_operator(call: Call) -> bool:
    """Return True for an admin who manages the server.

    These are the admins that the setting `operators` names, or all admins of an only business.
    """
    if call.principal.account is not Account.CLIENT_ADMIN or call.actor is None or call.business.test:
        return False
    emails = call.adapter(Operators).emails
    if emails:
        found = await get_users_by_id(call, [call.actor])
        return call.actor in found and found[call.actor].email.casefold() in emails
    async with call.app.database.read(None) as work:
        return sum(not is_test_business(client.settings) for client in await list_all_clients(work)) == 1


async def get_customer_principal(work: UnitOfWork, business: Business, user_id: int) -> Principal | None:
    """Return the principal of an active customer with hidden prices applied, or None.

    For reads on their behalf in the background. None for any other user.
    """
    user = await find_user(work, user_id)
    if user is None or not user.active or user.account != Account.CUSTOMER:
        return None
    return Principal(
        Account.CUSTOMER,
        user_id=user.id,
        name=user.name,
        business=business,
        scopes=effective_scopes(Account.CUSTOMER, None),
        hidden_prices=hidden_price_families(Account.CUSTOMER, user.hidden_prices),
    )


def get_client_language(client: ClientRow) -> str:
    """Return the client's default language of emails."""
    return client_language(client.settings)


async def list_admin_ids(call: Call) -> list[int]:
    """Return the ids of this client's active admins, who receive general emails."""
    return await notifications.load_admin_ids(call.work)


async def get_mail_recipient(work: UnitOfWork, client_id: int, user_id: int) -> MailRecipient | None:
    """Return a user as a recipient, or None if unknown or disabled."""
    return await notifications.load_mail_recipient(work, client_id, user_id)


async def invite_user_by_email(
    call: Call,
    *,
    name: str,
    email: str,
    account: Account,
    language: str | None = None,
    granted: Collection[str] | None = None,
) -> int:
    """Create a user and invite them by email. Return their id.

    `granted` limits the rights of their account. Raises `EMAIL_TAKEN`, `ALREADY_INVITED`, or `SCOPES_EXCEEDED` when
    such an account may do more than the caller.
    """
    request = InviteUser.model_validate({"name": name, "email": email, "account": account, "language": language})
    return (await send_first_invitation(call, request, granted)).user_id


async def create_user_without_email(
    call: Call, *, name: str, account: Account, granted: Collection[str] | None = None
) -> int:
    """Create a user who signs in with links only. Return their id.

    `granted` limits the rights of their account. Raises `SCOPES_EXCEEDED` when such an account may do more than the
    caller.
    """
    return await actions.create_user_within(
        call, name=name, email=make_email_placeholder(), account=account, granted=granted
    )


async def get_client_id_by_code(work: UnitOfWork, code: str) -> int | None:
    """Return the id of the client with a code, or None."""
    return await find_client_id(work, code)


async def find_other_business(call: Call, code: str) -> int | None:
    """Return the id of another business by its code, or None.

    Test businesses only find test businesses, and live ones live ones.
    """
    client_id = await find_client_id(call.work, code)
    business = client_id and await call.app.identity.business(call.work, client_id)
    return business.id if business and business.test is call.business.test else None


async def list_client_codes(work: UnitOfWork) -> set[str]:
    """Return the codes of all clients, for demo data and command line."""
    return await find_all_client_codes(work)


async def create_client(
    work: UnitOfWork,
    *,
    code: str,
    name: str,
    time_zone: str,
    currency: str,
    now: datetime,
    country: str | None = None,
    modules: Collection[Module] = (),
    features: Collection[Feature] = (),
) -> int:
    """Insert a client. Return the id.

    Raises `UniqueConflict` if the code is taken, `ValueError` for an unknown time zone.
    """
    return await actions.add_client(
        work,
        code=code,
        name=name,
        time_zone=validate_time_zone(time_zone),
        currency=validate_currency(currency),
        country=country,
        modules=sorted(modules),
        features=sorted(features),
        settings={},
        created_at=now,
    )


async def set_feature_revoked(work: UnitOfWork, client_id: int, feature: Feature, *, revoked: bool) -> None:
    """Revoke an opt-in feature for a client, or allow it again.

    For the platform's operator. It takes effect at once. While revoked, the feature is off, and the client cannot
    enable it.
    """
    client = await require_client(work, client_id, lock=True)
    features = with_switch(revoked_features(client.settings), feature.value, on=revoked)
    await actions.set_client_settings(work, client_id, {**client.settings, REVOKED_FEATURES_SETTING: features})


async def set_client_suspended(work: UnitOfWork, client_id: int, *, suspended: bool, now: datetime) -> bool:
    """Suspend a client, or resume it. Return False if nothing changed.

    For the platform's operator. While suspended, calls of the client's users and tokens are refused; public tracking
    and background work continue.
    """
    client = await require_client(work, client_id, lock=True)
    if test_id := client.settings.get(TEST_BUSINESS_SETTING):
        await set_client_suspended(work, test_id, suspended=suspended, now=now)
    if is_suspended(client.settings) is suspended:
        return False
    settings = {name: value for name, value in client.settings.items() if name != SUSPENDED_SETTING}
    if suspended:
        settings[SUSPENDED_SETTING] = now.isoformat()
    await actions.set_client_settings(work, client_id, settings)
    return True


RETENTION_SETTING = "retention_days"
"""Client setting with retention days by kind of record, if not default."""


async def get_retention_settings(work: UnitOfWork, client_id: int) -> dict[str, int]:
    """Return a client's retention days by kind of record. Raises `NOT_FOUND`."""
    return (await require_client(work, client_id)).settings.get(RETENTION_SETTING, {})


async def set_retention_setting(work: UnitOfWork, client_id: int, kind: str, days: int) -> None:
    """Set the retention days of a kind of record. Raises `NOT_FOUND`."""
    client = await require_client(work, client_id, lock=True)
    chosen = {**client.settings.get(RETENTION_SETTING, {}), kind: days}
    await actions.set_client_settings(work, client_id, {**client.settings, RETENTION_SETTING: chosen})


class WeakPassword(Exception):
    """Raised for a weak password; the text is the id of the message with the reason."""


async def provision_user(
    work: UnitOfWork,
    *,
    client_id: int,
    email: str,
    name: str,
    account: Account,
    now: datetime,
    password: str | None = None,
) -> int:
    """Insert a user of a client. Return the id.

    Raises `UniqueConflict` if the address is taken, `WeakPassword` for a weak password. Hashing happens in the unit of
    work: for the command line and the demo data, not for operations.
    """
    if password and (reason := password_weakness(password, email.strip().lower(), name)):
        raise WeakPassword(reason)
    return await actions.add_user(
        work.without_tenant_filter("the command line acts for every client"),
        client_id=client_id,
        email=email.strip().lower(),
        name=name,
        account=account,
        password_hash=await actions.hash_password(password) if password else None,
        now=now,
    )


async def issue_token(
    work: UnitOfWork,
    *,
    client_id: int,
    user_id: int,
    account: Account,
    now: datetime,
    scopes: Collection[Scope] | None = None,
    days: int = 90,
    name: str | None = None,
) -> str:
    """Issue an API token to a user and return its text.

    Without scopes it has all of the account.
    """
    issued = await actions.issue_access_token(
        work,
        client_id=client_id,
        user_id=user_id,
        now=now,
        kind=TokenKind.API,
        lifetime=timedelta(days=days),
        scopes=effective_scopes(account, scopes),
        name=name,
    )
    return issued.token


class UnknownUser(LookupError):
    """Raised if no user has this email address."""


async def issue_token_by_email(
    work: UnitOfWork, *, email: str, now: datetime, profile: str = DEFAULT_PROFILE, days: int = 90
) -> str:
    """Issue an API token with a profile's scopes. Return its text.

    The scopes are limited to the account. Raises `UnknownUser`, or `UNKNOWN_PROFILE`.
    """
    scopes = get_profile_scopes(profile)
    user = await find_user_by_email(work, email.strip().lower())
    if user is None:
        raise UnknownUser(email)
    return await issue_token(
        work,
        client_id=user.client_id,
        user_id=user.id,
        account=Account(user.account),
        now=now,
        scopes=scopes,
        days=days,
        name=profile,
    )
