"""Rules of accounts."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.identity.accounts.rules import (
    PER_EMAIL,
    PER_NETWORK,
    SCOPES_BY_ACCOUNT,
    delegated_scopes,
    effective_scopes,
    failure_keys,
    password_weakness,
    pause_after,
    require_account_changeable,
    require_remaining_admin,
    seconds_until_retry,
)
from haulier.contexts.identity.fields import validate_time_zone
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.values.countries import validate_country
from haulier.kernel.values.currencies import validate_currency
from haulier.kernel.values.networks import caller_network

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
ACCOUNTS = st.sampled_from(Account)
SOME_SCOPES = st.frozensets(st.sampled_from(Scope))


def make_refusal_of(code: str) -> pytest.RaisesExc[OperationError]:
    return pytest.raises(OperationError, match=f"^{code}$")


@given(account=ACCOUNTS, stored=SOME_SCOPES)
def test_a_token_is_limited_to_the_rights_of_its_account(account: Account, stored: frozenset[Scope]) -> None:
    assert effective_scopes(account, stored) == stored & SCOPES_BY_ACCOUNT[account]


@for_every("account", Account)
def test_a_session_has_all_rights_of_its_account(account: Account) -> None:
    assert effective_scopes(account, None) == SCOPES_BY_ACCOUNT[account]


def test_every_account_kind_except_public_has_scopes() -> None:
    assert set(SCOPES_BY_ACCOUNT) == set(Account)
    assert [account for account in Account if not SCOPES_BY_ACCOUNT[account]] == [Account.PUBLIC]


def test_a_removed_scope_grants_nothing() -> None:
    assert effective_scopes(Account.EMPLOYEE, ["orders:read", "teleport:write"]) == {Scope.ORDERS_READ}


@given(named=SOME_SCOPES, limit=SOME_SCOPES)
def test_named_scopes_above_the_limit_are_refused(named: frozenset[Scope], limit: frozenset[Scope]) -> None:
    if named <= limit:
        assert delegated_scopes(named, None, limit) == named
    else:
        with make_refusal_of("scopes_exceeded"):
            delegated_scopes(named, None, limit)


@given(profile=st.sampled_from(sorted(PROFILES)), limit=SOME_SCOPES)
def test_a_profile_is_reduced_to_the_limit(profile: str, limit: frozenset[Scope]) -> None:
    if PROFILES[profile] & limit:
        assert delegated_scopes(None, profile, limit) == PROFILES[profile] & limit
    else:
        with make_refusal_of("scopes_exceeded"):
            delegated_scopes(None, profile, limit)


def test_a_new_token_has_read_access_to_operations_by_default() -> None:
    assert delegated_scopes(None, None, SCOPES_BY_ACCOUNT[Account.CLIENT_ADMIN]) == PROFILES["ops-readonly"]


@for_every(
    ("password", "why"),
    [
        ("short", "password_too_short"),
        ("aaaaaaaaabbb", "password_too_simple"),
        ("ada@demo.example!", "password_is_personal"),
        ("1ADA-lovelace-ada1", "password_is_personal"),
        ("Ada Lovelace", "password_is_personal"),
        ("haulierhaulier", "password_repeats"),
        ("Freight-freight", "password_repeats"),
        ("password1 password1 password1", "password_repeats"),
        ("Haulier-2026!", "password_is_name"),
        ("NorthStarFreight1", "password_is_name"),
        ("north star haulier", "password_is_name"),
        ("nsf-haulier-99", "password_is_name"),
        ("correct horse battery", None),
        ("the haulier of the north", None),
        ("haulier 482 911 773 025", None),
        ("8472938475", None),
        ("!?&%$§/()=", None),
        ("密码密码很长的一个句子啊", None),
    ],
)
def test_a_weak_password_is_refused_with_the_reason(password: str, why: str | None) -> None:
    business = ("North Star Freight", "nsf")
    assert password_weakness(password, "ada@demo.example", "Ada Lovelace", business) == why


def test_a_few_failed_attempts_cause_no_delay() -> None:
    assert [seconds_until_retry(times, NOON, NOON) for times in range(PER_NETWORK.free + 1)] == [0] * 9


def test_every_further_failure_doubles_the_delay_up_to_fifteen_minutes() -> None:
    assert [pause_after(PER_NETWORK.free + n).total_seconds() for n in range(1, 8)] == [30, 60, 120, 240, 480, 900, 900]
    assert pause_after(10**9) == timedelta(minutes=15)


def test_guessing_from_many_networks_is_blocked_later_and_for_less_time() -> None:
    assert pause_after(PER_EMAIL.free, PER_EMAIL) == timedelta(0)
    assert pause_after(10**9, PER_EMAIL) == timedelta(minutes=5)
    assert PER_EMAIL.free > 10 * PER_NETWORK.free


def test_failures_are_counted_by_address_and_network() -> None:
    one, other = (failure_keys("a@b.example", caller_network(place)).keys() for place in ("192.0.2.1", "192.0.2.2"))
    assert len(one & other) == 1
    assert one == failure_keys("a@b.example", caller_network("::ffff:192.0.2.1")).keys()


@given(times=st.integers(0, 100), seconds=st.floats(0, 2000))
def test_waiting_for_the_stated_time_lifts_the_delay(times: int, seconds: float) -> None:
    now = NOON + timedelta(seconds=seconds)
    left = seconds_until_retry(times, NOON, now)
    assert seconds_until_retry(times, NOON, now + timedelta(seconds=left)) == 0


@given(old=ACCOUNTS, new=ACCOUNTS)
def test_only_office_users_can_change_their_kind_and_only_to_another_office_kind(old: Account, new: Account) -> None:
    if old == new or {old, new} <= OFFICE:
        require_account_changeable(old, new)
    else:
        with make_refusal_of("account_fixed"):
            require_account_changeable(old, new)


def test_the_last_admin_cannot_be_removed() -> None:
    require_remaining_admin(1, [1, 2])
    with make_refusal_of("last_admin"):
        require_remaining_admin(1, [1])


def test_existing_time_zones_are_accepted_and_others_refused_with_a_reason() -> None:
    assert (validate_time_zone("America/Toronto"), validate_currency("CAD"), validate_country("CA")) == (
        "America/Toronto",
        "CAD",
        "CA",
    )
    for known, wrong in ((validate_time_zone, "Mars/Olympus"), (validate_currency, "DEM"), (validate_country, "QX")):
        with pytest.raises(ValueError, match=f"{wrong} is not known"):
            known(wrong)
