"""Rows of files of contacts, as requests are made of them."""

from collections.abc import Mapping
from typing import Any

from haulier.kernel.file_reading import ReadingLimits, reading_job
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.values.table_files import FormatQuestion, NamedRows, read_table

_PLAIN = ("phone", "name", "language", "time_zone", "source")
_CONSENT = {
    "consent_purpose": "purpose",
    "consent_basis": "basis",
    "consent_method": "method",
    "consent_wording": "wording",
    "consent_source": "source",
    "consent_at": "occurred_at",
}


@reading_job(question=FormatQuestion, answer=NamedRows)
def read_contact_rows(content: bytes, question: FormatQuestion, limits: ReadingLimits) -> NamedRows:
    """Return the rows of a file by their columns, in lower case; empty cells are left out.

    Raises `UnreadableTable`.
    """
    header, rows, encoding = read_table(content, question.format, text=question.text, limits=limits)
    names = [name.casefold().replace(" ", "_") for name in header]
    named = [
        replace_unstorable({name: cell for name, cell in zip(names, row, strict=True) if name and cell}) for row in rows
    ]
    return NamedRows(named, encoding)


def contact_document(row: Mapping[str, str], consent: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the request that a row makes; `consent` is said of it where it says nothing of consent itself."""
    document: dict[str, Any] = {name: row[name] for name in _PLAIN if name in row}
    if "phone" in document and not document["phone"].startswith("+"):
        document["phone"] = f"+{document['phone']}"
    if "tags" in row:
        document["tags"] = [tag.strip() for tag in row["tags"].split(",") if tag.strip()]
    own = {field: row[column] for column, field in _CONSENT.items() if column in row}
    given = own or consent
    variables = {name: cell for name, cell in row.items() if name not in (*_PLAIN, *_CONSENT, "tags")}
    return document | {"variables": variables} | ({"consents": [given]} if given else {})
