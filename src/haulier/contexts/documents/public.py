"""Public interface of documents.

A request takes a file as a field of the type `FileUpload`; its operation declares
`body_limit_bytes=FILE_BODY_LIMIT_BYTES` and calls `save_upload`. A context registers access to its files with
`register_file_access`, and their owners with `declare_personal_files`.
"""

from haulier.contexts.documents.files.actions import (
    delete_all_files,
    delete_files,
    save_binary,
    save_export,
    save_file,
    save_upload,
)
from haulier.contexts.documents.files.contract import FILE_BODY_LIMIT_BYTES, FileUpload, PictureUpload
from haulier.contexts.documents.files.queries import (
    FileFacts,
    declare_files_of_people,
    declare_personal_files,
    get_file_content,
    get_file_facts,
    get_file_part,
    is_same_file,
    register_file_access,
)
from haulier.contexts.documents.files.rules import FILE_AWAY, FILE_DAMAGED, MAX_FILE_BYTES, MEDIA_TYPES
from haulier.contexts.documents.issued.actions import can_issue_documents, queue_document, withdraw_document_of
from haulier.contexts.documents.issued.queries import (
    DocumentDraft,
    DocumentPlan,
    check_file,
    get_issued_file,
    paper_head,
    register_document_maker,
)
from haulier.contexts.documents.issued.rules import (
    CUSTOMS_ITEMS_MISSING,
    DOCUMENT_NOT_READY,
    DOCUMENT_NOT_YET,
    MAX_ORDERS,
    DocumentKind,
    DocumentSubject,
)
from haulier.contexts.documents.ports import (
    DocumentSigner,
    PictureBarcode,
    PictureBox,
    PictureLine,
    PictureReader,
    PictureReading,
    PictureUnreadable,
    SigningKeyMissing,
)
from haulier.contexts.documents.signing.actions import ensure_signing_identity, rotate_signing_identity
from haulier.contexts.documents.signing.queries import list_certificates

__all__ = [
    "CUSTOMS_ITEMS_MISSING",
    "DOCUMENT_NOT_READY",
    "DOCUMENT_NOT_YET",
    "FILE_AWAY",
    "FILE_BODY_LIMIT_BYTES",
    "FILE_DAMAGED",
    "MAX_FILE_BYTES",
    "MAX_ORDERS",
    "MEDIA_TYPES",
    "DocumentDraft",
    "DocumentKind",
    "DocumentPlan",
    "DocumentSigner",
    "DocumentSubject",
    "FileFacts",
    "FileUpload",
    "PictureBarcode",
    "PictureBox",
    "PictureLine",
    "PictureReader",
    "PictureReading",
    "PictureUnreadable",
    "PictureUpload",
    "SigningKeyMissing",
    "can_issue_documents",
    "check_file",
    "declare_files_of_people",
    "declare_personal_files",
    "delete_all_files",
    "delete_files",
    "ensure_signing_identity",
    "get_file_content",
    "get_file_facts",
    "get_file_part",
    "get_issued_file",
    "is_same_file",
    "list_certificates",
    "paper_head",
    "queue_document",
    "register_document_maker",
    "register_file_access",
    "rotate_signing_identity",
    "save_binary",
    "save_export",
    "save_file",
    "save_upload",
    "withdraw_document_of",
]
