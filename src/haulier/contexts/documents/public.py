"""What other contexts may use of documents.

A request takes a file as a field of the type `FileUpload`; its operation declares
`body_limit_bytes=FILE_BODY_LIMIT_BYTES` and calls `save_file`.
A context says who may open the files about its records with `register_file_access`, and whose they are
with `declare_personal_files`.
"""

from haulier.contexts.documents.files.actions import delete_files, save_export, save_file
from haulier.contexts.documents.files.contract import FILE_BODY_LIMIT_BYTES, FileUpload
from haulier.contexts.documents.files.queries.file_permissions import register_file_access
from haulier.contexts.documents.files.queries.files import FileFacts, get_file_content, get_file_facts
from haulier.contexts.documents.files.queries.personal_data import declare_personal_files
from haulier.contexts.documents.files.rules.files import MAX_FILE_BYTES, MEDIA_TYPES

__all__ = [
    "FILE_BODY_LIMIT_BYTES",
    "MAX_FILE_BYTES",
    "MEDIA_TYPES",
    "FileFacts",
    "FileUpload",
    "declare_personal_files",
    "delete_files",
    "get_file_content",
    "get_file_facts",
    "register_file_access",
    "save_export",
    "save_file",
]
