"""The labels of orders as they are drawn, for this context and, through `public`, for routes."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from haulier.contexts.identity.public import require_client
from haulier.contexts.orders.delivery_orders.serializers.labels import build_label_content, build_label_data
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.values.money import Money
from haulier.rendering.labels import LabelContent


async def load_label_contents(call: Call, order_ids: Collection[int]) -> list[LabelContent]:
    """The labels of all pieces of these orders of this client, order by order as they were named."""
    rows = {row.id: row for row in await store.list_order_rows(call.work, order_ids)}
    packages = await store.list_order_package_rows(call.work, list(rows))
    return await build_label_contents(call, [rows[id] for id in order_ids if id in rows], packages)


async def build_label_contents(
    call: Call, rows: Sequence[store.OrderRow], packages: Sequence[store.PackageRow]
) -> list[LabelContent]:
    """The labels of the pieces of some orders, in the language of the caller."""
    carrier = (await require_client(call.work, call.client_id)).name
    pieces: defaultdict[int, list[store.PackageRow]] = defaultdict(list)
    for package in packages:
        pieces[package.order_id].append(package)
    return [content for row in rows for content in _contents_of(call, carrier, row, pieces[row.id])]


def _contents_of(call: Call, carrier: str, row: store.OrderRow, pieces: list[store.PackageRow]) -> list[LabelContent]:
    cod = str(Money(row.cod_minor, call.business.currency)) if row.cod_minor else None
    service = call.translate(f"label_type_{row.type}")
    labels = [build_label_data(row, package, number, len(pieces), cod) for number, package in enumerate(pieces, 1)]
    return [
        build_label_content(row, label, carrier=carrier, service=service, language=call.language) for label in labels
    ]
