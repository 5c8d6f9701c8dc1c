"""Storage of label scans, and orders created from them."""

from typing import Any

from msgspec import Struct

from haulier.contexts.documents.public import FileUpload, PictureReader, save_upload
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderAddress, Package
from haulier.contexts.orders.public import create_orders
from haulier.contexts.shipping.label_parsing import store
from haulier.contexts.shipping.label_parsing.contract import AcceptLabelParse, ParseLabel
from haulier.contexts.shipping.label_parsing.queries import LABEL_PICTURE
from haulier.contexts.shipping.label_parsing.rules.fields import (
    LABEL_NEEDS_REVIEW,
    LABEL_NOT_READ_YET,
    LABEL_READER_MISSING,
    NEEDED_PARTS,
    PARTS_OF_ADDRESS,
    LabelParseState,
    list_open_faults,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT, INVALID_REQUEST, FieldError

PARSE_LABEL_JOB = "shipping.parse_label"


class ReadQueuedLabel(Struct, frozen=True):
    """The job of reading a label."""

    parse_id: int


async def queue_label(call: Call, request: ParseLabel) -> int:
    """Store a label and enqueue its parsing. Return the id.

    Raises `LABEL_READER_MISSING` if the server cannot open pictures.
    """
    if request.file and not call.adapter(PictureReader).reads_barcodes:
        raise LABEL_READER_MISSING()
    values = {
        "state": LabelParseState.QUEUED.value,
        "media_type": request.file.media_type if request.file else None,
        "text": request.text,
        "created_by": call.actor,
        "created_at": call.now,
    }
    parse_id = await store.insert_parse(call.work, values)
    if request.file:
        file_id = await _store_picture(call, parse_id, request.file)
        await store.update_parse(call.work, parse_id, {"file_id": file_id})
    await call.enqueue(PARSE_LABEL_JOB, ReadQueuedLabel(parse_id))
    return parse_id


async def _store_picture(call: Call, parse_id: int, file: FileUpload) -> int:
    about = f"{LABEL_PICTURE}:{parse_id}"
    return await save_upload(call, file, about=about)


async def accept_reading(call: Call, row: store.LabelParseRow, request: AcceptLabelParse) -> int:
    """Create an order from a label scan and corrections. Return the order's id.

    Raises `LABEL_NOT_READ_YET`, `LABEL_NEEDS_REVIEW` for an unreviewed uncertain one, `INVALID_REQUEST` if something is
    missing, and the errors of creating an order.
    """
    # Skipped if a user typed all fields: they need not wait for the parser.
    if row.state == LabelParseState.QUEUED and not (request.reviewed and request.consignee):
        raise LABEL_NOT_READ_YET()
    if not request.reviewed:
        _require_certain(row, request)
    order = CreateOrder(
        consignee=request.consignee or _needed_address(row, "consignee"),
        shipper=request.sender or _address(row, "sender"),
        order_ref=request.order_ref or _values(row).get("tracking_number"),
        packages=request.packages if "packages" in request.model_fields_set else _packages(row),
        service=request.service,
        customer_id=request.customer_id,
    )
    (outcome,) = await create_orders(call, [order])
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    changes = {"state": LabelParseState.ACCEPTED.value, "order_id": outcome.row.id, "corrections": request.corrections}
    await store.update_parse(call.work, row.id, changes)
    return outcome.row.id


def _require_certain(row: store.LabelParseRow, request: AcceptLabelParse) -> None:
    """Raise `LABEL_NEEDS_REVIEW` for fields that are uncertain and not confirmed."""
    faults = list_open_faults(row.reading, request.corrected_fields, request.confirmed)
    if faults or row.state not in (LabelParseState.READ, LabelParseState.NEEDS_REVIEW):
        raise LABEL_NEEDS_REVIEW.for_fields(*faults)


def _packages(row: store.LabelParseRow) -> list[Package]:
    """Return the packages of the label, or one of the default weight."""
    values = _values(row)
    stated = {"weight_g": values.get("weight_g"), "quantity": values.get("pieces")}
    return [Package.model_validate({name: int(value) for name, value in stated.items() if value})]


def _values(row: store.LabelParseRow) -> dict[str, str]:
    return {field["name"]: field["value"] for field in row.reading.get("fields", ())}


def _parts(row: store.LabelParseRow, role: str) -> dict[str, Any]:
    """Return the parts of an address, with a business moved to `company`."""
    values = _values(row)
    parts = {part: value for part in PARTS_OF_ADDRESS if (value := values.get(f"{role}.{part}"))}
    company = values.get(f"{role}.company")
    return {**parts, "name": f"{parts['name']}, {company}"} if company and "name" in parts else parts


def _needed_address(row: store.LabelParseRow, role: str) -> OrderAddress:
    parts = _parts(row, role)
    missing = [part for part in NEEDED_PARTS if part not in parts]
    if missing:
        raise INVALID_REQUEST.for_fields(*(FieldError(f"{role}.{part}", "field.missing") for part in missing))
    return OrderAddress(**parts)


def _address(row: store.LabelParseRow, role: str) -> OrderAddress | None:
    parts = _parts(row, role)
    return OrderAddress(**parts) if set(NEEDED_PARTS) <= parts.keys() else None
