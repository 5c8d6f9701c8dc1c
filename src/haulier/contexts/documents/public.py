"""What other contexts may ask of documents.

A request takes a file as a field of the type `GivenFile`; its operation declares `body_limit_bytes=BODY_LIMIT_BYTES` and calls
`keep`. A context says who may open the files about its records with `shown_by`.
"""

from haulier.contexts.documents.files.contract import BODY_LIMIT_BYTES, GivenFile
from haulier.contexts.documents.files.keeping import FileFacts, content, discard, facts, keep
from haulier.contexts.documents.files.rules import MEDIA_TYPES, SIZE_MAX
from haulier.contexts.documents.files.sight import shown_by

__all__ = [
    "BODY_LIMIT_BYTES",
    "MEDIA_TYPES",
    "SIZE_MAX",
    "FileFacts",
    "GivenFile",
    "content",
    "discard",
    "facts",
    "keep",
    "shown_by",
]
