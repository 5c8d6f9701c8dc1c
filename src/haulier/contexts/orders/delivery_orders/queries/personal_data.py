"""Personal data of orders: contacts at both ends, texts and the destination.

An order is about a person whose email address or phone number an end bears. A customer's own order is also about that
customer if an end bears their name. Only the ends of that person and the order's texts are erased. City, region, postal
code and country are retained, and so are references, times and money.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import ColumnElement

from haulier.contexts.custom_fields.public import erased_custom_fields
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.delivery_orders.rules.warnings import build_order_search_text
from haulier.contexts.orders.delivery_orders.store.tables import changes, items, orders, packages
from haulier.kernel.data.personal_data import (
    ERASED,
    PersonKey,
    PersonKeys,
    RecordKind,
    any_of,
    key_in,
    personal_data,
    phone_digits,
    retained,
)
from haulier.kernel.values.words import fold_search

ENDS = ("shipper", "consignee")
KEPT_OF_AN_END = ("city", "region", "postal_code", "country")
STOP_COLUMNS = ("stop_name", "stop_address", "lat", "lng")


def _find_orders(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Orders that may be about a person: `_is_about` looks closer."""
    numbers = sorted(filter(None, map(phone_digits, keys.get(PersonKey.PHONE, ()))))
    texts = [*map(fold_search, sorted(keys.get(PersonKey.EMAIL, ()))), *numbers]
    by_text = [orders.c.search.contains(text, autoescape=True) for text in texts]
    by_key = [key_in(orders.c.id, PersonKey.ORDER, keys), key_in(orders.c.customer_id, PersonKey.USER, keys)]
    return any_of([*by_text, *by_key])


def _is_about(row: Any, keys: PersonKeys) -> bool:
    return row.id in keys.get(PersonKey.ORDER, ()) or any(_is_end_of(row, end, keys) for end in ENDS)


def _is_end_of(row: Any, end: str, keys: PersonKeys) -> bool:
    """Return True if an end bears the person's email address, phone number or name.

    The name counts for a customer's own order.
    """
    document = getattr(row, end) or {}
    numbers = set(map(phone_digits, keys.get(PersonKey.PHONE, ())))
    own = row.customer_id in keys.get(PersonKey.USER, ())
    return (
        (document.get("email") or "").lower() in keys.get(PersonKey.EMAIL, ())
        or bool(phone_digits(document.get("phone")) in numbers - {""})
        or (own and document.get("name") in keys.get(PersonKey.NAME, ()))
    )


def _ends_of(row: Any, keys: PersonKeys) -> Iterator[str]:
    """The ends that are the person's; where only the order is known, both."""
    own = [end for end in ENDS if _is_end_of(row, end, keys)]
    known_by_contact = keys.keys() & {PersonKey.EMAIL, PersonKey.PHONE, PersonKey.NAME}
    yield from own if known_by_contact else ENDS


def _erased_end(end: str) -> Any:
    def erase(row: Any, keys: PersonKeys) -> dict[str, Any] | None:
        document = getattr(row, end)
        return _without_person(document) if document and end in _ends_of(row, keys) else document

    return erase


def _without_person(document: dict[str, Any]) -> dict[str, Any]:
    kept = {name: document[name] for name in KEPT_OF_AN_END if name in document}
    return {"name": ERASED, "address": ERASED, **kept}


def _erased_stop(name: str) -> Any:
    def erase(row: Any, keys: PersonKeys) -> Any:
        """The stop is the shipper's where goods are only picked up, else the consignee's."""
        end = "shipper" if row.type == "P" else "consignee"
        return None if end in _ends_of(row, keys) else getattr(row, name)

    return erase


def _erased_search(row: Any, keys: PersonKeys) -> str:
    """Return the search text that remains: references and the other end."""
    ends = [_erased_end(end)(row, keys) or {} for end in ENDS]
    texts = [row.order_ref, *row.references.values()]
    for end in ends:
        texts += [end.get(name) for name in ("name", "address", "city", "postal_code", "email")]
    return build_order_search_text([text for text in texts if text != ERASED], [end.get("phone") for end in ends])


def _export_order(row: Any, keys: PersonKeys) -> dict[str, Any]:
    """Return an order without the end of another person."""
    hidden = {"client_id", "search", "goods_at", *(end for end in ENDS if end not in _ends_of(row, keys))}
    return {name: value for name, value in row._asdict().items() if name not in hidden}


def _find_misplaced_orders(keys: PersonKeys) -> ColumnElement[bool] | None:
    """Find orders whose goods are at a wrong address, which are few.

    `_has_goods_of` checks whose address it is.
    """
    known = keys.keys() & {PersonKey.ORDER, PersonKey.PHONE}
    return orders.c.goods_at.is_not(None) if known else None


def _has_goods_of(row: Any, keys: PersonKeys) -> bool:
    """Return True if the goods of an order are at the address of the person."""
    place = row.goods_at or {}
    numbers = set(map(phone_digits, keys.get(PersonKey.PHONE, ()))) - {""}
    return place.get("order_id") in keys.get(PersonKey.ORDER, ()) or phone_digits(place.get("phone")) in numbers


def _erased_goods_at(row: Any, keys: PersonKeys) -> dict[str, Any]:
    """Return the location of the goods without the person and coordinates."""
    place = row.goods_at or {}
    return {**dict.fromkeys(place), **_without_person(place), "order_id": place.get("order_id")}


def _export_goods_at(row: Any, keys: PersonKeys) -> dict[str, Any]:
    return {"id": row.id, "goods_at": row.goods_at}


personal_data(
    orders,
    RecordKind.ORDER_CONTACTS,
    find=_find_orders,
    matches=_is_about,
    gives={"id": PersonKey.ORDER},
    erased={
        **{end: _erased_end(end) for end in ENDS},
        **{name: _erased_stop(name) for name in STOP_COLUMNS},
        "note": None,
        "delivery_instruction": None,
        "rating_comment": None,
        "request_digest": None,
        "search": _erased_search,
        "custom_fields": erased_custom_fields,
    },
    in_use=orders.c.status.not_in(sorted(TERMINAL_STATUSES)),
    export=_export_order,
    plain=(
        *("order_ref", "tracking_number", "type", "fulfilment", "stop_city", "stop_postal_code"),
        *("skills", "references", "price", "language", "goods_currency"),
    ),
)
personal_data(
    orders,
    RecordKind.ORDER_CONTACTS,
    find=_find_misplaced_orders,
    matches=_has_goods_of,
    erased={"goods_at": _erased_goods_at},
    export=_export_goods_at,
)
for kind in (RecordKind.ORDER_CONTACTS, RecordKind.PROOFS):
    retained(
        kind,
        orders.c.updated_at,
        only=orders.c.status.in_(sorted(TERMINAL_STATUSES)),
        root=PersonKey.ORDER,
        default_days=730,
        minimum_days=30,
    )
personal_data(
    packages,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"description": None, "custom_fields": erased_custom_fields},
    plain=("tracking_number", "outcome"),
)
personal_data(
    items,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"description": None},
    plain=("sku", "currency", "hs_code", "country_of_origin"),
)
personal_data(
    changes,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"reason": None},
    plain=("step", "failure"),
)
