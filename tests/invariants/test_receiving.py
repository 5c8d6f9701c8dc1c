"""Receivers of data get only data that their creator may read.

See docs/decisions/authorization.md. Receivers are registered here with the columns that name their creator and the
operations that read the same data. Unregistered tables that look like receivers fail.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

from tests.invariants.handing_on import CALLERS, give_weak_token
from tests.invariants.rights import GIVES
from tests.support.app import PEOPLE, App

from haulier.app import load_tables, registry
from haulier.contexts.integrations.webhooks.rules import list_subscribed_events
from haulier.kernel.data.tables import metadata
from haulier.kernel.operations.enums import Scope
from haulier.kernel.pipeline.reach import reach_of


class Receiver(NamedTuple):
    """A receiver of data: its creator, the operation that sets it up, and equal reads."""

    who: tuple[str, ...]
    operation: str
    request: dict[str, Any]
    read_by: frozenset[str]


RECEIVERS = {
    "webhook_endpoint": Receiver(
        ("set_up_by", "set_up_with"),
        "update_webhook_settings",
        {"endpoints": [{"url": "https://receiver.example/hook", "events": ["*"], "enabled": True}]},
        frozenset(entry.read_by for entry in list_subscribed_events(["*"], of_customer=False)),
    ),
    "channel_ticket": Receiver(
        ("set_up_by", "set_up_with"), "open_chat_channel", {"order_id": 1}, frozenset({"list_chat_messages"})
    ),
    "chat_push_device": Receiver(
        ("user_id", "set_up_with"),
        "register_push_device",
        {"kind": "web", "address": "https://push.example/send/1", "p256dh": "B" + "A" * 86, "auth": "A" * 22},
        frozenset({"list_chat_messages"}),
    ),
    "weekly_report_subscription": Receiver(
        ("user_id", "set_up_with"), "set_weekly_report", {"enabled": True}, frozenset({"preview_weekly_report"})
    ),
    "tracking_grant": Receiver(
        ("set_up_by", "set_up_with"),
        "grant_tracking",
        {"alliance_id": 1, "business": "rival", "numbers": "all"},
        frozenset({"otep_client_tracking"}),
    ),
    "personal_data_request": Receiver(
        ("requested_by", "set_up_with"),
        "export_personal_data",
        {"email": "ada@example.com"},
        frozenset({"get_user", "get_drivers", "get_order_detail", "get_routes"}),
    ),
    "tracking_grant_number": Receiver(
        ("set_up_by", "set_up_with"),
        "update_shared_numbers",
        {"grant_id": 1, "add": ["HL0000"]},
        frozenset({"otep_client_tracking"}),
    ),
}
ASKED_AGAIN = {
    "personal_data_request": "tests/contexts/control_tower/personal_data/test_export_rights.py::"
    "test_an_export_is_not_built_after_its_requester_loses_access",
    "channel_ticket": "tests/contexts/chat/order_chat/test_tickets.py::test_a_ticket_ends_with_the_token_that_requested_it",
    "chat_push_device": "tests/contexts/chat/order_chat/test_push_devices.py::"
    "test_a_push_requires_that_the_registering_token_can_still_read_the_chat",
    "provider_key": "tests/contexts/tracking/providers/test_issuers.py::"
    "test_a_key_works_only_while_its_issuer_has_the_permission",
    "tracking_grant": "tests/contexts/alliances/test_givers.py::test_a_grant_shows_nothing_after_its_grantor_loses_access",
    "tracking_grant_number": "tests/contexts/alliances/test_givers.py::"
    "test_a_listed_number_is_hidden_after_the_token_that_listed_it_is_revoked",
    "webhook_endpoint": "tests/contexts/integrations/webhooks/test_reach.py::"
    "test_an_endpoint_ends_with_the_token_that_created_it",
    "weekly_report_subscription": "tests/contexts/control_tower/weekly_report/test_weekly_report.py::"
    "test_the_report_ends_with_its_token_unless_the_user_subscribes_too",
}
"""The test by table that takes the right of the one who set the thing up, and shows that nothing is delivered."""
RECEIVES_NOTHING = {
    "alliance_read": "records a read",
    "oauth_client": "is granted scopes by a person, in the table of grants",
    "payment_link": "shows one bill to whoever has the link, and the office makes it",
    "pending_write": "runs with the rights of its proposer, asked for again",
    "recipient_access": "opens one delivery to its recipient",
    "saved_view": "holds filters; each reader reads with their own rights",
    "shop_link": "opens one purchase to its buyer",
    "stored_file": "is opened by callers with the scope of the record it is about",
    "webhook_attempt": "a delivery to an endpoint",
    "webhook_delivery": "a delivery to an endpoint",
}
DELIVERING_JOBS = {
    "billing/invoices/notifications": "emails customers their own invoices, without prices that are hidden from them",
    "booking/reservations/notifications": "emails customers about their own visits",
    "control_tower/personal_data/jobs": "asked again: personal_data_request",
    "control_tower/weekly_report/jobs": "asked again: weekly_report_subscription",
    "documents/issued/jobs": "stores a document of the business, opened by callers with the scope of its record",
    "fleet/driver_documents/notifications": "emails the admins, the driver and the contractor of a document",
    "identity/accounts/notifications": "emails users about their own accounts",
    "identity/invitations/notifications": "emails an invitation to the invited address",
    "identity/passwords/notifications": "emails users about their own passwords",
    "identity/sessions/notifications": "emails the admins about attacks, with a number of users",
    "integrations/webhooks/notifications": "emails users about their own endpoints",
    "lockers/device_alarms/notifications": "emails the admins about devices",
    "lockers/device_orders/notifications": "emails customers about their own devices",
    "lockers/luggage/notifications": "emails guests about their own bookings",
    "lockers/parcels/notifications": "messages recipients about their own parcels",
    "lockers/recipient_returns/notifications": "messages recipients about their own returns",
    "lockers/resale/notifications": "emails customers about their own rentals",
    "lockers/shop/notifications": "emails buyers about their own purchases",
    "messaging/campaigns/jobs": "sends messages to contacts",
    "messaging/sms/jobs": "sends a test message without data to a phone",
    "recipients/messages/notifications": "messages recipients about their own deliveries",
    "customer_apps/registration/notifications": "messages applicants about their own registrations",
}
"""By module: the recipient of the file, email or message that a job makes. Only jobs that ask again deliver to a requester."""
DELIVERS = re.compile(
    r"\b(save_export|save_issued_file|save_binary|send_mail\w*|deliver_sms|send_sms\w*)\(|\(Mailer\)|\bSmsGateway\b|enqueue_email\(run"
)
REFUSED = {"SCOPES_EXCEEDED", "ACCOUNT_NOT_ALLOWED"}
LIKE_RECEIVERS = re.compile(
    "subscription|endpoint|webhook|hook|grant|ticket|push_device|saved_view|export|personal_data_request|feed|"
    "forward|_link$|recipient_access|stored_file|pending_write|oauth_client|alliance_read"
)


def test_every_data_receiver_is_registered_with_its_creator() -> None:
    load_tables()
    found = {name for name, table in metadata.tables.items() if LIKE_RECEIVERS.search(name) or "set_up_by" in table.c}
    assert sorted(found - RECEIVERS.keys() - RECEIVES_NOTHING.keys() - GIVES.keys()) == []
    assert sorted(RECEIVES_NOTHING.keys() - found) == []
    nameless = {name: [c for c in each.who if c not in metadata.tables[name].c] for name, each in RECEIVERS.items()}
    assert {name: columns for name, columns in nameless.items() if columns} == {}


def test_every_receiver_has_a_test_that_revokes_its_creators_permission() -> None:
    answered_for = {name for name, table in metadata.tables.items() if "set_up_with" in table.c}
    assert sorted(RECEIVERS.keys() | answered_for) == sorted(ASKED_AGAIN)
    missing = [
        node
        for node in ASKED_AGAIN.values()
        if f"def {node.split('::')[1]}(" not in Path(node.split("::")[0]).read_text()
    ]
    assert missing == []


def test_every_job_that_delivers_something_names_its_recipient() -> None:
    contexts = Path("src/haulier/contexts")
    texts = {path.relative_to(contexts).with_suffix("").as_posix(): path.read_text() for path in contexts.rglob("*.py")}
    found = {name for name, text in texts.items() if "@job(" in text and DELIVERS.search(text)}
    assert sorted(found) == sorted(DELIVERING_JOBS)
    again = {why.removeprefix("asked again: ") for why in DELIVERING_JOBS.values() if why.startswith("asked again: ")}
    assert again <= ASKED_AGAIN.keys()


async def test_no_token_can_set_up_a_receiver_that_reads_more_than_it(app: App) -> None:
    """Try each kind of account with single scopes and with the operation's scopes."""
    await app.answer("admin", "set_feature", {"feature": "order_chat", "enabled": True})
    beyond: list[object] = []
    for receiver in RECEIVERS.values():
        operation = registry()[receiver.operation]
        for who in CALLERS:
            account = PEOPLE[who][1]
            single = [frozenset({scope}) for scope in Scope if operation.scopes <= {scope}]
            for scopes in {*single, operation.scopes} if account in operation.audience else ():
                unread = receiver.read_by - reach_of(registry(), account, scopes).operations
                await give_weak_token(app, operation.name, who)
                outcome = await app.call("weak", operation.name, receiver.request, dry_run=True)
                if unread and (outcome.error or {"code": None})["code"] not in REFUSED:
                    beyond.append((operation.name, who, sorted(scopes), sorted(unread)[:3], outcome.error))
    assert beyond == []
