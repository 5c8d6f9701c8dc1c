"""Every field that holds an id declares the record it refers to."""

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from msgspec import Struct
from pydantic import BaseModel

from haulier.app import registry
from haulier.kernel.operations.ids import RefersTo
from haulier.kernel.operations.nouns import nouns_of, snake_case

WITHOUT_A_LIST = {
    "records of the business that have no list of their own": {
        "agent_turn_id": "turn of a session with the agent", "async_id": "order import that runs in the background",
        "box_id": "locker compartment", "cabinet_id": "locker", "charge_id": "ledger transfer that charged something",
        "code_id": "locker parcel, seen from a locker's code", "command_id": "command to a device",
        "contact_id": "SMS contact", "corrects_id": "earning that is corrected", "duplicate_id": "address",
        "file_id": "file", "from_location_id": "storage location", "geocoding_id": "geocoding of a dataset",
        "gone_stop_id": "stop that was removed", "hold_id": "hold in the ledger", "import_id": "import of its family",
        "last_message_id": "chat message", "lease_id": "locker rental", "link_id": "sign-in link",
        "location_id": "storage location", "photo_file_id": "file", "photo_id": "file", "posting_id": "route posting",
        "pre_alert_id": "pre-alert", "record_id": "dataset record", "refund_id": "refund of a payment",
        "reverses_id": "cash entry that is reversed", "screen_id": "locker screen", "ship_out_id": "shipout",
        "staging_location_id": "storage location", "status_id": "status of an order", "order_status_id": "status of an order",
        "stop_id": "stop", "task_id": "pick task", "to_location_id": "storage location", "campaign_id": "SMS campaign",
        "client_id": "business, or the client of an OAuth grant", "webhook_id": "webhook message",
    },
    "ids that carriers, devices and clients choose, or that seal their content": {
        "challenge_id": "phone challenge", "corrective_event_id": "tracking event", "dispute_id": "dispute at a provider",
        "event_id": "tracking event", "message_id": "message, by its own identifier", "piece_id": "piece of a shipment",
        "push_id": "push of a provider", "quote_id": "quote", "rsa_key_id": "key of a provider", "scan_id": "scan of a device",
        "server_client_id": "client at an identity provider", "upload_id": "upload of a device",
    },
    "records of a kind that a field beside them names": {
        "credit_owner_id": "owner of a ledger account", "debit_owner_id": "owner of a ledger account",
        "owner_id": "user, or owner of a ledger account", "subject_id": "record of `subject_kind` or its like",
        "parent_id": "user", "kind_id": "kind of packed item",
    },
    "places in a list": {"after_id": "dataset record", "next_after_id": "dataset record"},
}  # fmt: skip
"""Names of fields whose record has no page, with the record that they refer to."""


def id_names(kind: Any, seen: set[Any]) -> Iterator[str]:
    for part in get_args(kind):
        yield from id_names(part, seen)
    if not isinstance(kind, type) or kind in seen or not issubclass(kind, BaseModel | Struct):
        return
    seen.add(kind)
    hints = get_type_hints(kind)
    for name in hints:
        field = snake_case(name)
        if field.endswith(("_id", "_ids")):
            yield field.removesuffix("s") if field.endswith("_ids") else field
    for hint in hints.values():
        yield from id_names(hint, seen)


def names_of_ids() -> set[str]:
    seen: set[Any] = set()
    return {
        name
        for operation in registry()
        for kind in (operation.request, operation.answer)
        for name in id_names(kind, seen)
    }


def test_every_id_declares_the_record_it_refers_to() -> None:
    nouns, declared = nouns_of(registry()), {name for names in WITHOUT_A_LIST.values() for name in names}
    names = names_of_ids()
    assert sorted(name for name in names if not nouns.key_referred_to(name) and name not in declared) == []
    assert sorted(name for name in declared if name not in names or nouns.key_referred_to(name)) == []


def test_a_drivers_id_is_that_of_the_record_and_a_drivers_user_has_a_name_of_its_own() -> None:
    nouns = nouns_of(registry())
    assert {name: nouns.key_referred_to(name) for name in ("driver_id", "driver_user_id", "user_id")} == {
        "driver_id": "drivers",
        "driver_user_id": "users",
        "user_id": "users",
    }


TYPED = {"drivers", "users"}
"""Nouns whose ids have a type of their own."""
ALSO_USERS = {"contractor_id", "contractor_ids", "broker_id", "payee_id", "provided_by", "made_by"}
"""Roles of users; their fields have no type yet."""


def marked_nouns(annotation: Any) -> set[str]:
    """The nouns that the types of a field name."""
    marks = {each.noun for each in getattr(annotation, "__metadata__", ()) if isinstance(each, RefersTo)}
    return marks.union(*(marked_nouns(each) for each in get_args(annotation) if not isinstance(each, str)))


def typed_fields(kind: Any, seen: set[Any]) -> Iterator[tuple[str, str, set[str]]]:
    """Each field of the models within a type: where it is, its name, and the nouns that its type names."""
    for part in get_args(kind):
        yield from typed_fields(part, seen)
    if not isinstance(kind, type) or kind in seen or not issubclass(kind, BaseModel | Struct):
        return
    seen.add(kind)
    hints = get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        yield f"{kind.__module__}.{kind.__name__}", name, marked_nouns(hint)
    for hint in get_type_hints(kind).values():
        yield from typed_fields(hint, seen)


def test_ids_of_drivers_and_users_have_the_type_of_what_they_name() -> None:
    nouns, seen, wrong, typed = nouns_of(registry()), set[Any](), list[str](), 0
    for operation in registry():
        for kind in (operation.request, operation.answer):
            for place, name, marks in typed_fields(kind, seen):
                key = nouns.key_referred_to(name)
                expected = {key} if key in TYPED and snake_case(name) not in ALSO_USERS else set[str | None]()
                typed += bool(marks)
                if marks != expected:
                    wrong.append(f"{place}.{name}: {sorted(marks)}")
    assert wrong == []
    assert typed > 70
