"""Custom fields of orders and packages: validation of new values, and updates."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from msgspec import Struct

from haulier.contexts.custom_fields.public import (
    Document,
    FieldSet,
    ResourceKind,
    get_field_set,
    get_field_sets,
    index_record,
)
from haulier.contexts.custom_fields.values.rules import (
    Accepted,
    accept_changes,
    accept_new,
    filter_valid,
    grouped_document,
)
from haulier.contexts.orders.delivery_orders.contract.corrections import UpdateOrderCustomFields
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.orders import update_piece_fields
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError


class NewOrderFields(Struct, frozen=True):
    """Custom fields of orders, and the values of new orders and packages by index.

    An order without an entry has no values.
    """

    fields: FieldSet
    accepted: Mapping[int, tuple[Accepted, Sequence[Accepted]]]

    def order_document(self, index: int) -> Document | None:
        """Return the custom fields of an order.

        Raises `INVALID_REQUEST` with all invalid values.
        """
        if index not in self.accepted:
            return None
        order, packages = self.accepted[index]
        if faults := [*chain(order.faults, *(each.faults for each in packages))]:
            raise INVALID_REQUEST.for_fields(*faults)
        return order.document

    def package_documents(self, index: int) -> list[Document | None]:
        """Return the custom fields of each package, or nothing if none has any."""
        return [each.document for each in self.accepted[index][1]] if index in self.accepted else []


async def validate_new_orders(
    call: Call, requests: Sequence[CreateOrder], *, copied: Collection[int] = (), shared: Collection[int] = ()
) -> NewOrderFields:
    """Validate the custom fields of new orders.

    Without custom fields and values there is nothing to validate. `copied` are the indexes of requests that repeat an
    order of the client: its values are copied unchanged. `shared` are the indexes of another business's orders: only
    values that fit a field of the client are stored.
    """
    fields, of_packages = await get_field_sets(call, ResourceKind.ORDER, ResourceKind.PACKAGE)
    account = call.principal.account

    def accept(index: int, of: FieldSet, given: Mapping[str, object], at: str) -> Accepted:
        if index in copied:
            return Accepted(grouped_document(of, given))
        return Accepted(filter_valid(of, given)) if index in shared else accept_new(of, given, account, at)

    return NewOrderFields(
        fields,
        {
            index: (
                accept(index, fields, request.custom_fields, "custom_fields"),
                [
                    accept(index, of_packages, each.custom_fields, f"packages.{number}.custom_fields")
                    for number, each in enumerate(request.packages)
                ],
            )
            for index, request in enumerate(requests)
            if fields.active or of_packages.active or _has_values(request)
        },
    )


def _has_values(request: CreateOrder) -> bool:
    return bool(request.custom_fields) or any(each.custom_fields for each in request.packages)


async def replaced_package_documents(
    call: Call, before: Sequence[orders_store.PackageRow], corrected: CreateOrder
) -> list[Document | None]:
    """Return the custom fields of replaced packages.

    Values of the package in the same position, updated with the given ones. Raises `INVALID_REQUEST`.
    """
    fields = await get_field_set(call, ResourceKind.PACKAGE)
    kept = [each.custom_fields for each in before]
    pieces = [(index, each) for index, each in enumerate(corrected.packages) for _ in range(each.quantity)]
    accepted = [
        accept_changes(
            fields,
            kept[number] if number < len(kept) else None,
            piece.custom_fields,
            call.principal.account,
            f"packages.{index}.custom_fields",
        )
        for number, (index, piece) in enumerate(pieces)
    ]
    _raise_faults([fault for each in accepted for fault in each.faults])
    return [each.document for each in accepted]


def _raise_faults(faults: Sequence[FieldError]) -> None:
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)


async def update_order_custom_fields(call: Call, request: UpdateOrderCustomFields) -> int:
    """Update custom fields of an order and its packages, and return the order's id.

    Omitted fields are unchanged. Raises `NOT_FOUND` or `INVALID_REQUEST`.
    """
    row = await get_visible_order(call, request.order_id, lock=True)
    fields, of_packages = await get_field_sets(call, ResourceKind.ORDER, ResourceKind.PACKAGE)
    accepted = accept_changes(fields, row.custom_fields, request.custom_fields, call.principal.account)
    packages = await _changed_packages(call, row.id, of_packages, request) if request.packages else {}
    _raise_faults([*accepted.faults, *(fault for each in packages.values() for fault in each.faults)])
    await orders_store.update_orders(call.work, [row.id], custom_fields=accepted.document, updated_at=call.now)
    await update_piece_fields(call.work, {id: each.document for id, each in packages.items()})
    await index_record(call, ResourceKind.ORDER, fields, row.id, accepted.document)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id))
    return row.id


async def _changed_packages(
    call: Call, order_id: int, fields: FieldSet, request: UpdateOrderCustomFields
) -> dict[int, Accepted]:
    """Return the updated custom fields of packages, by their ids."""
    rows = {row.id: row for row in await orders_store.list_order_package_rows(call.work, [order_id])}
    unknown = [
        FieldError(f"packages.{index}.package_id", "field.package_unknown")
        for index, each in enumerate(request.packages)
        if each.package_id not in rows
    ]
    _raise_faults(unknown)
    return {
        each.package_id: accept_changes(
            fields,
            rows[each.package_id].custom_fields,
            each.custom_fields,
            call.principal.account,
            f"packages.{index}.custom_fields",
        )
        for index, each in enumerate(request.packages)
    }
