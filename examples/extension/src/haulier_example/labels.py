"""A form of labels: a line for each piece, for a printer that lays labels out by itself."""

import csv
import io
from collections.abc import Sequence

from haulier.rendering.label_writers import LabelWriter
from haulier.rendering.labels import LabelContent


def write(labels: Sequence[LabelContent]) -> bytes:
    """Number, recipient and place of each."""
    text = io.StringIO()
    csv.writer(text).writerows([label.tracking_number, label.recipient.name, label.recipient.place] for label in labels)
    return text.getvalue().encode()


WRITER = LabelWriter(media_type="text/csv", write=write)
