"""The labels of an order: for a printer of labels, for any printer, as a picture, and as plain data."""

import asyncio
from base64 import b64encode

from msgspec import UNSET

from haulier.contexts.orders.delivery_orders.contract.labels import LabelForm, OrderLabels, PrintLabels
from haulier.contexts.orders.delivery_orders.queries.order_labels import build_label_contents, build_label_data
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.money import Money
from haulier.rendering.label_writers import LABEL_WRITERS
from haulier.rendering.labels import LabelContent, render_label_pdf, render_label_zpl, render_labels_png

LABEL_TYPES: dict[str, str] = {
    "zpl": "application/zpl",
    "pdf": "application/pdf",
    "png": "image/png",
    **{form: writer.media_type for form, writer in LABEL_WRITERS.items()},
}
LABEL_REPRESENTATIONS = Representations(
    tuple(Representation(media_type, form) for form, media_type in LABEL_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "print_local_label",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("GET", "/v1/orders/{order_id}/label", representations=LABEL_REPRESENTATIONS),
        GraphQL("localLabel"),
        Mcp("print_local_label", title="Print a local label"),
    ),
    errors=(NOT_FOUND,),
)
async def print_local_label(call: Call, request: PrintLabels) -> OrderLabels:
    """Print local labels for an order.

    Returns a 4 × 6 inch label for each package as ZPL for thermal printers, PDF, PNG or plain data. Contractors can
    print labels of orders that they hold. The PDF is a printer copy; a verifiable label is issued as a document.
    """
    row = await get_visible_order(call, request.order_id)
    packages = await store.list_order_package_rows(call.work, [row.id])
    cod = str(Money(row.cod_minor, call.business.currency)) if row.cod_minor else None
    data = [build_label_data(row, package, number, len(packages), cod) for number, package in enumerate(packages, 1)]
    contents = await build_label_contents(call, [row], packages)
    if request.piece is not None:
        if request.piece > len(data):
            raise record_not_found(piece=request.piece)
        data, contents = [data[request.piece - 1]], [contents[request.piece - 1]]
    labels = [render_label_zpl(content).decode() for content in contents]
    answer = OrderLabels(labels=labels, data=data)
    if request.format:
        # Why a thread: an order has up to 200 pieces, and a picture takes ten milliseconds.
        document = await asyncio.to_thread(_render, request.format, contents, labels)
        answer.format, answer.media_type = request.format, LABEL_TYPES[request.format]
        answer.document = b64encode(document).decode()
    else:
        answer.document = UNSET
    return answer


def _render(form: LabelForm, contents: list[LabelContent], labels: list[str]) -> bytes:
    if form in LABEL_WRITERS:
        return LABEL_WRITERS[form].write(contents)
    if form == "zpl":
        return "\n".join(labels).encode()
    return render_label_pdf(contents) if form == "pdf" else render_labels_png(contents)
