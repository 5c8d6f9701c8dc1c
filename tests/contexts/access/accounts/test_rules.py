"""The decisions of accounts."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.access.accounts.rules.lockout import FROM_ANYWHERE, FROM_ONE_PLACE, counted_by, rest, wait_s
from haulier.contexts.access.accounts.rules.passwords import weakness
from haulier.contexts.access.accounts.rules.places import known_country, known_currency, known_time_zone
from haulier.contexts.access.accounts.rules.scopes import GRANTED, effective, handed_on
from haulier.contexts.access.accounts.rules.users import demand_an_admin_stays, demand_may_become
from haulier.kernel.declarations import OFFICE, Account, Scope
from haulier.kernel.errors import Refusal
from haulier.kernel.profiles import PROFILES

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
ACCOUNTS = st.sampled_from(Account)
SOME_SCOPES = st.frozensets(st.sampled_from(Scope))


def a_refusal_of(code: str) -> pytest.RaisesExc[Refusal]:
    return pytest.raises(Refusal, match=f"^{code}$")


@given(account=ACCOUNTS, stored=SOME_SCOPES)
def test_a_token_never_does_more_than_its_account_may(account: Account, stored: frozenset[Scope]) -> None:
    assert effective(account, stored) == stored & GRANTED[account]


@pytest.mark.parametrize("account", Account)
def test_a_session_may_do_all_that_its_account_may(account: Account) -> None:
    assert effective(account, None) == GRANTED[account]


def test_every_kind_of_account_is_granted_something_except_the_public() -> None:
    assert set(GRANTED) == set(Account)
    assert [account for account in Account if not GRANTED[account]] == [Account.PUBLIC]


def test_a_scope_that_is_no_more_counts_for_nothing() -> None:
    assert effective(Account.EMPLOYEE, ["orders:read", "teleport:write"]) == {Scope.ORDERS_READ}


@given(named=SOME_SCOPES, limit=SOME_SCOPES)
def test_named_scopes_beyond_the_limit_are_refused(named: frozenset[Scope], limit: frozenset[Scope]) -> None:
    if named <= limit:
        assert handed_on(named, None, limit) == named
    else:
        with a_refusal_of("scopes_exceeded"):
            handed_on(named, None, limit)


@given(profile=st.sampled_from(sorted(PROFILES)), limit=SOME_SCOPES)
def test_a_profile_is_cut_down_to_the_limit(profile: str, limit: frozenset[Scope]) -> None:
    if PROFILES[profile] & limit:
        assert handed_on(None, profile, limit) == PROFILES[profile] & limit
    else:
        with a_refusal_of("scopes_exceeded"):
            handed_on(None, profile, limit)


def test_a_new_token_reads_operations_by_default() -> None:
    assert handed_on(None, None, GRANTED[Account.CLIENT_ADMIN]) == PROFILES["ops-readonly"]


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short", "password_too_short"),
        ("aaaaaaaaabbb", "password_too_simple"),
        ("ada@demo.example!", "password_is_personal"),
        ("1ADA-lovelace-ada1", "password_is_personal"),
        ("Ada Lovelace", "password_is_personal"),
        ("correct horse battery", None),
        ("密码密码很长的一个句子啊", None),
    ],
)
def test_a_weak_password_is_told_why(password: str, why: str | None) -> None:
    assert weakness(password, "ada@demo.example", "Ada Lovelace") == why


def test_mistyping_a_few_times_costs_nothing() -> None:
    assert [wait_s(times, NOON, NOON) for times in range(FROM_ONE_PLACE.free + 1)] == [0] * 9


def test_every_further_failure_doubles_the_pause_up_to_a_quarter_of_an_hour() -> None:
    assert [rest(FROM_ONE_PLACE.free + n).total_seconds() for n in range(1, 8)] == [30, 60, 120, 240, 480, 900, 900]
    assert rest(10**9) == timedelta(minutes=15)


def test_guessers_in_many_places_are_stopped_later_and_for_less_long() -> None:
    assert rest(FROM_ANYWHERE.free, FROM_ANYWHERE) == timedelta(0)
    assert rest(10**9, FROM_ANYWHERE) == timedelta(minutes=5)
    assert FROM_ANYWHERE.free > 10 * FROM_ONE_PLACE.free


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        (None, "", True),
        ("testclient", "testclient", True),
    ],
)
def test_a_household_counts_as_one_place(one: str | None, other: str | None, same: bool) -> None:
    assert (counted_by("a@b.example", one).keys() == counted_by("a@b.example", other).keys()) is same
    assert len(counted_by("a@b.example", one).keys() & counted_by("a@b.example", other).keys()) >= 1


@given(times=st.integers(0, 100), seconds=st.floats(0, 2000))
def test_waiting_as_long_as_told_is_enough(times: int, seconds: float) -> None:
    now = NOON + timedelta(seconds=seconds)
    left = wait_s(times, NOON, now)
    assert wait_s(times, NOON, now + timedelta(seconds=left)) == 0


@given(old=ACCOUNTS, new=ACCOUNTS)
def test_only_office_people_change_their_kind_and_only_among_themselves(old: Account, new: Account) -> None:
    if old == new or {old, new} <= OFFICE:
        demand_may_become(old, new)
    else:
        with a_refusal_of("account_fixed"):
            demand_may_become(old, new)


def test_the_last_admin_stays() -> None:
    demand_an_admin_stays(1, [1, 2])
    with a_refusal_of("last_admin"):
        demand_an_admin_stays(1, [1])


def test_places_that_exist_are_known_and_others_say_why_not() -> None:
    assert (known_time_zone("America/Toronto"), known_currency("CAD"), known_country("CA")) == (
        "America/Toronto",
        "CAD",
        "CA",
    )
    for known, wrong in ((known_time_zone, "Mars/Olympus"), (known_currency, "DEM"), (known_country, "QX")):
        with pytest.raises(ValueError, match=f"{wrong} is not known"):
            known(wrong)
