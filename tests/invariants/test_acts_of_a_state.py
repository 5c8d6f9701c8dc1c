"""Actions declare the states that refuse them, so that pages do not offer them.

Exceptions are listed here with a reason.
"""

from typing import Any

import pytest
from tests.support.every_case import for_every

from haulier.app import registry
from haulier.kernel.operations.resources import resources_of
from haulier.kernel.operations.wanted_values import Presence
from haulier.web.desk.places import Places

NOT_THE_STATE = {
    "another record has what is asked for": """
        CUSTOMER_CODE_TAKEN EMAIL_TAKEN DRIVER_USER_TAKEN ADDRESS_REFERENCE_TAKEN BOOKING_ZONE_NAME_TAKEN
        CARRIER_ACCOUNT_NAME_TAKEN DATASET_GROUP_NAME_TAKEN DATASET_KEY_TAKEN DATASET_NAME_TAKEN CABINET_CODE_TAKEN
        LOCKER_DEVICE_TAKEN POINT_REFERENCE_TAKEN PRODUCT_BARCODE_TAKEN SAVED_VIEW_TAKEN SERVICE_QUOTE_TAKEN
        SHIPPING_ORDER_REF_TAKEN SMS_NAME_TAKEN SUITE_TAKEN LEDGER_KEY_REUSED ALREADY_INVITED STOCK_RESERVED_ALREADY
        PACKAGE_PRESET_NAME_TAKEN""",
    "more is asked for than there is or fits": """
        CREDIT_INSUFFICIENT CREDIT_IN_USE BALANCE_OUT_OF_RANGE INSUFFICIENT_STOCK
        LOCATION_FULL NO_ROOM_TO_PUT_AWAY TOO_MANY_PHOTOS DATASET_FULL DEVICE_STOCK_REFUSED REFUND_TOO_MUCH
        NO_FREE_BOX PICK_EXCEEDED SAVED_VIEWS_FULL BOOKING_WINDOW_FULL BOOKING_CAPACITY_BELOW_TAKEN NOTHING_OWED
        CLAIM_LIMIT_REACHED STANDBY_FULL""",
    "it is about another record that the request names": """
        LOCATION_NOT_USABLE LOCATION_ELSEWHERE NOT_PICKED_YET PACKAGE_NOT_FREE INBOUND_STEP_REFUSED
        INBOUND_PARCEL_NOT_MEASURED ALLIANCE_FOUNDER_STAYS DEVICE_NOT_USABLE LOCKER_WITHOUT_DEVICE
        WEBHOOK_ENDPOINT_OFF AGENT_TURN_RUNNING""",
    "the kind of the record is not for it, at any time": """
        NOT_A_CUSTOMER TAX_RATE_OVERLAPS TAX_EXEMPTION_OVERLAPS
        DATASET_HAS_NO_ADDRESS UNIORDER_HAS_NO_LABEL SMS_SUPPRESSED_BY_RECIPIENT
        ADMIN_UNLIMITED ACCOUNT_FIXED SCOPES_BEYOND_ACCOUNT LAST_ADMIN DRIVER_HAS_ACCOUNT COD_NOT_REVERSIBLE""",
    "it is about what is asked, or about who asks": """
        ALLIANCE_NOT_A_MEMBER CARRIER_SECRETS_NOT_KEPT PROVIDER_SECRETS_NOT_KEPT SERVICE_OUT_OF_AREA
        SERVICE_PRICE_OUT_OF_RANGE SERVICE_QUOTE_EXPIRED SHIPOUT_QUOTE_MISMATCH SHIPPING_ORDER_QUOTE_MISMATCH
        QUOTE_MISMATCH SHIPPING_RATE_EXPIRED SHIPPING_RATE_NOT_AVAILABLE RATE_ENDS_BEFORE_IT_BEGINS
        SMS_CONSENT_NOT_ENOUGH CUSTOM_FIELD_CHANGED DATASET_RECORD_CHANGED DRIVER_DOCUMENT_OVER SERVICE_IN_USE
        DATASET_GROUP_IN_USE""",
}
"""Errors that say nothing of the state of the record that an act is done to."""
NOT_SAID_BY_THE_RECORD = {
    "a route does not say who claimed it, nor whether its driver accepted it": """
        accept_route decline_route claim_route stand_by_for_route withdraw_from_route""",
    "only whoever does not belong to the office is refused": "remove_driver_document",
    "an entry does not say that another one corrects it": "correct_earning",
    "it depends on the kind of parcel as well": "renew_locker_code",
    "it depends on each bag of the booking": """
        hand_over_luggage report_luggage_bag renew_luggage_codes file_luggage_claim""",
    "the list of chats does not say whether one is closed": "send_chat_photo",
    "it depends on the hour of the visit": "check_in_reservation",
    "it depends on whoever carries the order": "uniorder_cancel uniorder_purchase_label",
    "a region does not say whether a task of it is under way": "remove_map_region",
    "a zone does not say whether its map is archived": "put_zone remove_zone",
}
"""Actions refused in a state that the record does not show."""


def _words(told: dict[str, str]) -> set[str]:
    return {word for words in told.values() for word in words.split()}


ACTS = [
    act
    for noun in resources_of(registry())
    for act in noun.acts
    if act.effect == "write" and Places(registry()).has_page(act)
]


@for_every("act", ACTS)
def test_an_action_refused_by_a_state_lists_the_allowing_states(act: Any) -> None:
    refusals = {error.code for error in act.errors if error.status == 409} - _words(NOT_THE_STATE)
    assert act.available_when or not refusals or act.name in _words(NOT_SAID_BY_THE_RECORD), refusals


def test_actions_without_conditions_give_no_reason() -> None:
    undeclared = [act for act in ACTS if not act.available_when]
    codes = {error.code for act in undeclared for error in act.errors if error.status == 409}
    assert _words(NOT_THE_STATE) - codes == set()
    assert _words(NOT_SAID_BY_THE_RECORD) - {act.name for act in undeclared} == set()


def test_required_states_are_named_as_on_record_pages() -> None:
    wanted = [each for act in registry() for each in act.available_when.values()]
    assert all(isinstance(each, str | bool | None | frozenset | Presence) for each in wanted)
    assert all(isinstance(value, str) for each in wanted if isinstance(each, frozenset) for value in each)


@pytest.mark.parametrize(
    ("name", "record", "allowed"),
    [
        ("pause_sms_campaign", {"status": "sending"}, True),
        ("pause_sms_campaign", {"status": "draft"}, False),
        ("revoke_locker_lease", {"status": "suspended"}, True),
        ("revoke_locker_lease", {"status": "reserved"}, False),
        ("cancel_shop_purchase", {"status": "ready"}, True),
        ("cancel_shop_purchase", {"status": "collected"}, False),
        ("reject_stock_count", {"state": "counted"}, True),
        ("reject_stock_count", {"state": "approved"}, False),
        ("cancel_stock_import", {"finished_at": None}, True),
        ("cancel_stock_import", {"finished_at": "2026-06-10T12:00:00Z"}, False),
        ("resume_tracking_grant", {"state": "in_force"}, False),
        ("update_order_note", {"status": "DELIVERED"}, False),
        ("update_order_note", {"status": "HOLD"}, True),
        ("merge_routes", {"allowed_actions": ["lock", "merge"]}, True),
        ("merge_routes", {"allowed_actions": ["finish"]}, False),
        ("pause_sms_campaign", {}, True),
    ],
)
def test_an_action_is_offered_where_its_life_cycle_allows_it(name: str, record: dict[str, Any], allowed: bool) -> None:
    assert registry()[name].is_allowed_by(record) is allowed
