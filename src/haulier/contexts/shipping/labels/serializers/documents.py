"""Labels as documents in answers."""

from base64 import b64encode

from haulier.contexts.shipping.labels.contract.papers import LabelDocument
from haulier.contexts.shipping.labels.store.shipments import LabelRow

MEDIA_TYPES = {"pdf": "application/pdf", "zpl": "application/zpl", "png": "image/png"}


def label_document(label: LabelRow) -> LabelDocument:
    """The label of a parcel, as its carrier printed it."""
    return printed_label(label.number, label.tracking_number, label.label_format, label.content)


def printed_label(number: int, tracking_number: str, form: str, content: bytes) -> LabelDocument:
    """A label in one of the forms of `MEDIA_TYPES`."""
    return LabelDocument(
        number=number,
        tracking_number=tracking_number,
        format=form,  # type: ignore[arg-type]
        media_type=MEDIA_TYPES[form],
        document=b64encode(content).decode(),
    )
