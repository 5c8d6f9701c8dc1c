"""Request and response models for label scans."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.orders.delivery_orders.contract.orders import PIECES_MAX, OrderAddress, Package
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LABEL_TEXT_MAX, REFERENCE_MAX = 4000, 100
LabelFieldName = Annotated[str, StringConstraints(max_length=40, pattern=NO_NUL)]
LabelParseStateName = Literal["queued", "read", "needs_review", "accepted", "failed"]


class ParseLabel(Request):
    """A label: a photo or a PDF of it, or its text."""

    file: FileUpload | None = None
    """A photo, or a PDF whose first page is the label."""
    text: Annotated[str, StringConstraints(max_length=LABEL_TEXT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, min_length=1, examples=["TO:\nAda Lovelace\n100 Queen St W\nToronto ON M5H 2N2\nCANADA"]
    )
    """Text of the label, line by line, if available. Separate blocks with an empty line."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.file is None) == (self.text is None):
            raise PydanticCustomError("file_or_text", "say one of file and text")
        return self


class LabelParseRef(Request):
    """Reference to a label scan."""

    parse_id: RecordId
    """ID returned by `parse_label`."""


class ListLabelParses(PageRequest):
    """Filters for label scans."""

    state: LabelParseStateName | None = None
    """Filter by state."""


class AcceptLabelParse(Request):
    """Values for an order from a label scan. Given values replace parsed ones."""

    parse_id: RecordId
    """ID returned by `parse_label`."""
    reviewed: bool = False
    """If true, all parsed values are confirmed by comparison with the label."""
    confirmed: Annotated[list[LabelFieldName], Field(max_length=40)] = []
    """Names of uncertain fields that were compared with the label, such as `sender.city`."""
    consignee: OrderAddress | None = None
    """Recipient. Replaces the parsed one."""
    sender: OrderAddress | None = None
    """Sender. Replaces the parsed one."""
    order_ref: Annotated[str, StringConstraints(min_length=1, max_length=REFERENCE_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["A-1001"]
    )
    """Reference of the order. Default: the tracking number on the label."""
    packages: Annotated[list[Package], Field(min_length=1, max_length=PIECES_MAX)] = [Package()]
    """The packages. By default those on the label, else one package of 1 kg."""
    service: Annotated[str, StringConstraints(max_length=30, pattern="^[a-z0-9_]+$")] = "standard"
    """A service of the rate card."""
    customer_id: RecordId | None = None
    """The customer account the order is for."""

    @property
    def corrections(self) -> dict[str, Any]:
        """Return the values that replace parsed ones."""
        return self.model_dump(mode="json", include={"consignee", "sender", "order_ref"}, exclude_none=True)

    @property
    def corrected_fields(self) -> set[str]:
        """Return names of fields that replace what was read."""
        return {*self.corrections, *({"packages"} & self.model_fields_set)}


class LabelBox(Answer):
    """Area in a picture, in fractions of its size; the upper left corner is 0, 0."""

    x: float
    y: float
    width: float
    height: float


class LabelField(Answer):
    """A field of a label."""

    name: Annotated[
        str,
        doc(
            "`tracking_number`, `carrier`, `service`, a part of `consignee` or `sender`; on Haulier labels also `piece`,"
            " `pieces`, `weight_g`, `reference`.",
            "consignee.postal_code",
        ),
    ]
    value: Annotated[str, doc("Parsed value.", "M5H 2N2")]
    confidence: Annotated[float, doc("Confidence from 0 to 1.", 0.98)]
    source: Annotated[str, doc("`barcode`, `text`, or `both` if they agree.", "text")]
    box: Annotated[LabelBox | None, doc("Position on the label; null for derived values and for text.")]


class LabelAddress(Answer):
    """An address that stands on a label."""

    role: Annotated[str | None, doc("`consignee`, `sender`, or null if unknown.", "consignee")]
    text: Annotated[str, doc("Lines of the address.")]
    confidence: Annotated[float, doc("Confidence from 0 to 1.", 0.98)]
    box: LabelBox


class LabelBars(Answer):
    """A barcode on a label."""

    symbology: Annotated[str, doc("", "Code128")]
    text: Annotated[str, doc("Content of the barcode.", "1Z999AA10123456784")]
    box: LabelBox


class LabelParse(Answer):
    """Result of parsing a label."""

    id: int
    state: Annotated[str, doc("queued, read, needs_review, accepted or failed.", "needs_review")]
    engine: Annotated[
        str | None,
        doc(
            "Source of the result: `ocr`, `pdf` (the text of a PDF), `barcodes` (no text recognition "
            "available), `text`.",
            "ocr",
        ),
    ]
    notice: Annotated[str | None, doc("Notice about information that could not be searched.")]
    confidence: Annotated[float | None, doc("Confidence of the least certain required field; 0 if one is missing.")]
    review_below: Annotated[float, doc("Confidence below which a user must review the scan.", 0.85)]
    missing: Annotated[list[str], doc("Required fields that were not found.")]
    uncertain: Annotated[list[str], doc("Fields below `review_below` that must be confirmed or corrected.")]
    fields: list[LabelField]
    addresses: Annotated[list[LabelAddress], doc("All addresses found, in case roles were confused.")]
    barcodes: list[LabelBars]
    pages: Annotated[int | None, doc("Pages of a PDF; only the first is read.")]
    file_id: Annotated[int | None, doc("ID of the picture. Open it with `get_file`.")]
    order_id: Annotated[int | None, doc("Order created from the scan.")]
    corrected: Annotated[list[str], doc("Names of fields whose parsed value was replaced.")]
    failure: Annotated[str | None, doc("Reason for a failed scan: `picture_unreadable`.")]
    created_at: datetime
    finished_at: datetime | None


class LabelParseAnswer(Answer):
    """One reading of a label."""

    result: bool = True
    label_parse: LabelParse


class LabelParseList(PagedAnswer):
    """A page of label scans, newest first."""

    label_parses: list[LabelParse]
