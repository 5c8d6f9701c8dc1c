"""Label format with one line per package, for printers with their own layout."""

import csv
import io
from collections.abc import Sequence

from haulier.rendering.label_writers import LabelWriter
from haulier.rendering.labels import LabelContent


def write(labels: Sequence[LabelContent]) -> bytes:
    """Write number, recipient and place of each label as CSV."""
    text = io.StringIO()
    csv.writer(text).writerows([label.tracking_number, label.recipient.name, label.recipient.place] for label in labels)
    return text.getvalue().encode()


WRITER = LabelWriter(media_type="text/csv", write=write)
