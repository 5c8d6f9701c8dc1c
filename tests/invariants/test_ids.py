"""Every id field declares the record that it refers to."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args, get_type_hints

from msgspec import Struct
from pydantic import BaseModel

from haulier.app import registry
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import list_reference_marks
from haulier.kernel.operations.resources import item_path, resources_of, rest_interface, snake_case

WITHOUT_A_LIST = {
    "records of the business that have no list of their own": {
        "agent_turn_id": "turn of a session with the agent", "allocation_id": "allocation of a received payment",
        "async_id": "order import that runs in the background",
        "box_id": "locker compartment", "charge_id": "ledger transfer that charged something",
        "code_id": "locker parcel, seen from a locker's code", "command_id": "command to a device",
        "contact_id": "SMS contact", "corrects_id": "earning that is corrected", "duplicate_id": "address",
        "file_id": "file", "fulfilment_id": "fulfilment of an order",
        "from_location_id": "storage location", "geocoding_id": "geocoding of a dataset",
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


def test_every_id_declares_its_record() -> None:
    nouns, declared = resources_of(registry()), {name for names in WITHOUT_A_LIST.values() for name in names}
    names = names_of_ids()
    assert sorted(name for name in names if not nouns.key_referred_to(name) and name not in declared) == []
    assert sorted(name for name in declared if name not in names or nouns.key_referred_to(name)) == []


def test_driver_ids_identify_drivers_and_driver_users_have_a_separate_name() -> None:
    nouns = resources_of(registry())
    assert {name: nouns.key_referred_to(name) for name in ("driver_id", "driver_user_id", "user_id")} == {
        "driver_id": "drivers",
        "driver_user_id": "users",
        "user_id": "users",
    }


TYPED = {"drivers", "users"}
"""Nouns whose ids have a type wherever their name says so."""
ALSO_USERS = {"contractor_id", "contractor_ids", "broker_id", "payee_id", "provided_by", "made_by"}
"""Roles of users; their fields have no type yet."""
ORDER_ID = "order_id"
"""An order unless a type says otherwise: in the answers of Uniorder it is an order of that interface."""
SAME_RECORDS = {
    "board-driver-rules": "drivers", "customer-credits": "customers", "customer-shipouts": "shipouts",
    "customer-storage-orders": "storage-orders", "customers-shipping-orders": "shipping-orders", "order-chats": "orders",
    "suites": "customers",
}  # fmt: skip
"""Lists of records that another list has too, or of one thing for each record of another list."""


class IdField(NamedTuple):
    """An id field: its place, its wire name, and the noun of its type."""

    place: str
    name: str
    is_id: bool
    typed: bool
    noun: str | None


def names_on_the_wire(kind: type[Any]) -> dict[str, str]:
    """Return the wire name of each field of a model."""
    if issubclass(kind, BaseModel):
        return {name: info.alias or name for name, info in kind.model_fields.items()}
    return dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))


def is_id_field(name: str, hint: Any) -> bool:
    """Return True if a field has the name or the type of an id."""
    return snake_case(name).endswith(("_id", "_ids")) or has_id_type(hint)


def has_id_type(hint: Any) -> bool:
    """Return True for `RecordId`, and for its lists and optional values."""
    (limits,) = RecordId.__metadata__  # pyright: ignore[reportAttributeAccessIssue]
    here = any(each is limits for each in getattr(hint, "__metadata__", ()))
    return here or any(has_id_type(part) for part in get_args(hint))


def fields_of(kind: Any, seen: set[Any]) -> Iterator[IdField]:
    """Yield each field of the models within a type."""
    for part in get_args(kind):
        yield from fields_of(part, seen)
    if not isinstance(kind, type) or kind in seen or not issubclass(kind, BaseModel | Struct):
        return
    seen.add(kind)
    hints, names = get_type_hints(kind, include_extras=True), names_on_the_wire(kind)
    for name in names.keys() & hints.keys():
        marks = {each.noun for each in list_reference_marks(hints[name])}
        assert len(marks) < 2, f"{kind.__name__}.{name} refers to {marks}"
        place, is_id = f"{kind.__module__}.{kind.__name__}.{name}", is_id_field(names[name], hints[name])
        yield IdField(place, names[name], is_id, bool(marks), next(iter(marks), None))
    for hint in get_type_hints(kind).values():
        yield from fields_of(hint, seen)


def id_fields() -> list[IdField]:
    """Return each id field of a request or an answer once."""
    seen: set[Any] = set()
    return [
        each
        for operation in registry()
        for kind in (operation.request, operation.answer)
        for each in fields_of(kind, seen)
    ]


def noun_of(field: IdField) -> str | None:
    """Return the noun that a field refers to, from its type or its name."""
    return field.noun if field.typed else resources_of(registry()).key_referred_to(field.name)


def test_every_request_id_declares_its_record() -> None:
    """Use its type, else its name. `RefersTo(None)` marks records without a list."""
    nouns, seen = resources_of(registry()), set[Any]()
    fields = [each for operation in registry() for each in fields_of(operation.request, seen) if each.is_id]
    assert sorted(each.place for each in fields if not each.typed and not nouns.key_referred_to(each.name)) == []
    assert len(fields) > 300


def test_driver_and_user_ids_have_distinct_types() -> None:
    nouns, found = resources_of(registry()), id_fields()
    untyped = [
        each.place
        for each in found
        if (key := nouns.key_referred_to(each.name)) in TYPED
        and snake_case(each.name) not in ALSO_USERS
        and (not each.typed or each.noun != key)
    ]
    misplaced = [
        each.place for each in found if each.noun in TYPED and nouns.key_referred_to(each.name) not in {None, each.noun}
    ]
    assert untyped + misplaced == []
    assert sum(each.noun in TYPED for each in found) > 70


def test_an_id_type_names_a_noun() -> None:
    keys = resources_of(registry()).by_key.keys()
    assert sorted({each.noun for each in id_fields() if each.noun} - keys) == []


def test_an_ambiguous_id_name_always_has_a_type() -> None:
    by_name: dict[str, list[IdField]] = {}
    for each in id_fields():
        if resources_of(registry()).key_referred_to(each.name) or each.typed:
            by_name.setdefault(each.name.removesuffix("s"), []).append(each)
    several = {name for name, fields in by_name.items() if len({noun_of(each) for each in fields}) > 1} - {ORDER_ID}
    assert several >= {"package_id", "parcel_id", "transfer_id", "offer_id", "device_id", "request_id"}
    assert sorted(each.place for name in several for each in by_name[name] if not each.typed) == []


def test_a_path_id_refers_to_the_record_of_its_path() -> None:
    """A 404 names the record at the path, so the described noun must match."""
    nouns = resources_of(registry())
    at = {item_path(noun): noun.key for noun in nouns if len(noun.ids) == 1}
    wrong: list[str] = []
    for operation in registry():
        interface, fields = rest_interface(operation), {each.name: each for each in fields_of(operation.request, set())}
        for found in re.finditer(r"{(\w*(?:_id|Id))}", interface.path if interface else ""):
            key = at.get(interface.path[: found.end()]) if interface else None
            described = noun_of(fields[found[1]])
            if key and described not in {key, SAME_RECORDS.get(key)}:
                wrong.append(f"{operation.name}: {found[1]} is one of {key}, and described as one of {described}")
    assert wrong == []
