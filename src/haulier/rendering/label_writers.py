"""Label formats provided by installed packages."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.extensions import LABEL_FORMATS, installed_extensions

if TYPE_CHECKING:
    from haulier.rendering.labels import LabelContent

OWN_LABEL_FORMS = ("zpl", "pdf", "png")


class LabelWriter(Struct, frozen=True):
    """A label format: its media type (RFC 6838) and its rendering function.

    `write` runs in a thread.
    """

    media_type: str
    write: "Callable[[Sequence[LabelContent]], bytes]"


LABEL_WRITERS = {
    name: writer
    for name, writer in installed_extensions(LABEL_FORMATS, LabelWriter).items()
    if name not in OWN_LABEL_FORMS
}
"""Writers by entry point name. Names of built-in formats are ignored."""
