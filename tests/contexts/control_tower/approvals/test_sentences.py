"""Pending writes are described by sentences that name their records."""

from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App

from haulier.contexts.control_tower.approvals.rules import MAX_SENTENCE_LENGTH, describe_write


def test_records_are_described_by_their_usual_names() -> None:
    order = {"id": 5, "order_ref": "DEMO-0056", "address": "5100 Yonge St", "name": None}
    assert (
        describe_write("Hold an order", {"result": True, "order": order}) == "Hold an order: DEMO-0056, 5100 Yonge St"
    )


def test_a_record_without_a_name_is_described_by_its_number() -> None:
    assert describe_write("Cancel a route", {"route": {"id": 3}}) == "Cancel a route: #3"


def test_a_long_list_names_the_first_records_and_counts_the_rest() -> None:
    orders = [{"order_ref": f"R{number}"} for number in range(12)]
    assert describe_write("Create many orders", {"outcomes": orders}) == "Create many orders: R0; R1; R2 and 9 more"


def test_a_response_without_names_falls_back_to_the_title() -> None:
    assert describe_write("Set the policy", {"result": True, "own_allowed": True}) == "Set the policy"


def test_sentences_have_a_maximum_length() -> None:
    assert len(describe_write("Hold an order", {"order": {"name": "x" * 900}})) == MAX_SENTENCE_LENGTH


async def test_a_proposal_names_its_order(app: App) -> None:
    order_id = await create_order_as(app)
    proposed = await app.answer(
        "employee", "propose_write", {"tool": "hold_order", "arguments": {"order_id": order_id}}
    )
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    assert proposed.approval.summary.startswith("Hold an order: ")
    assert order.address in proposed.approval.summary
