"""Event identity and timeline access."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.otep.timeline.contract import Source
from haulier.contexts.tracking.timelines.rules import make_event_id, may_see_full_timeline
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.principal import ANONYMOUS, Business, Principal

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
CARRIER = Source(type="carrier", name="Swift Post")
DEMO = Business(id=1, code="demo", time_zone="UTC", currency="CAD")
VIEWERS = {Account.CUSTOMER: 7, Account.CONTRACTOR: 8, Account.DRIVER: None}
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def make_caller(account: Account, user_id: int | None = 5, business: Business | None = DEMO) -> Principal:
    return Principal(account, user_id=user_id, business=business)


@given(visible_fields=OFFSETS)
def test_the_same_instant_in_another_offset_is_the_same_event(visible_fields: timezone) -> None:
    first = make_event_id("HL1", CARRIER, "delivered", NOON)
    assert make_event_id("HL1", CARRIER, "delivered", NOON.astimezone(visible_fields)) == first


def test_another_code_instant_source_or_subject_is_another_event() -> None:
    later = NOON + timedelta(seconds=1)
    assert (
        len(
            {
                make_event_id("HL1", CARRIER, "delivered", NOON),
                make_event_id("HL1", CARRIER, "in_transit", NOON),
                make_event_id("HL1", CARRIER, "delivered", later),
                make_event_id("HL1", Source(type="carrier"), "delivered", NOON),
                make_event_id("HL1", Source(type="partner", name="Swift Post"), "delivered", NOON),
                make_event_id("HL2", CARRIER, "delivered", NOON),
            }
        )
        == 6
    )


def test_a_sources_own_reference_identifies_an_event_with_any_content() -> None:
    referred = Source(type="carrier", name="Swift Post", reference="scan-9")
    first = make_event_id("HL1", referred, "delivered", NOON)
    assert make_event_id("HL1", referred, "in_transit", NOON + timedelta(hours=1)) == first
    assert make_event_id("HL1", CARRIER, "delivered", NOON) != first


@for_every(
    ("caller", "sees"),
    [
        (ANONYMOUS, False),
        *((make_caller(account), True) for account in sorted(OFFICE)),
        (make_caller(Account.CUSTOMER, 7), True),
        (make_caller(Account.CUSTOMER, 8), False),
        (make_caller(Account.CONTRACTOR, 8), True),
        (make_caller(Account.DRIVER, 7), False),
        (make_caller(Account.DRIVER, None), False),
        (make_caller(Account.PROVIDER, 7), False),
    ],
)
def test_the_office_sees_all_data_and_others_only_their_own(caller: Principal, sees: bool) -> None:
    assert may_see_full_timeline(caller, DEMO.id, VIEWERS) is sees


@given(account=st.sampled_from(Account), user=st.sampled_from([7, 8]))
def test_no_reader_sees_all_data_of_another_client(account: Account, user: int) -> None:
    assert not may_see_full_timeline(make_caller(account, user), DEMO.id + 1, VIEWERS)
