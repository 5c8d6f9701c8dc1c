"""The reference page of the carriers' vocabularies, written from the tables."""

from collections.abc import Iterator

from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES, CarrierTable

_PREFACE = """# Carriers' vocabularies

Status codes of carriers and aggregators with their codes in the protocol. Generated from the tables in
`src/haulier/contexts/otep/carriers` by `make published`.

A code that is not listed takes the generic code of its family's phase; without a family it is `in_transit`. The code
itself is always stored as `raw_status`. A status in steps, `status:detail`, is mapped by its most specific known step.
"""


def carriers_page() -> str:
    """Return the page as Markdown: sources, codes, reasons and families by carrier."""
    parts = [_PREFACE, _overview_table()]
    parts += ["\n".join(_carrier_chapter(carrier)) + "\n" for carrier in CARRIER_TABLES.values()]
    return "\n".join(parts)


def _overview_table() -> str:
    rows = [f"| [{table.sheet.name}](#{key}) | `{key}` | {len(table.rows)} |" for key, table in CARRIER_TABLES.items()]
    total = sum(len(table.rows) for table in CARRIER_TABLES.values())
    return "\n".join(["| carrier | name in calls | codes |", "|---|---|---|", *rows, f"| all | | {total} |"]) + "\n"


def _carrier_chapter(carrier: CarrierTable) -> Iterator[str]:
    sheet = carrier.sheet
    yield f'<a id="{carrier.key}"></a>'
    yield f"## {_table_cell(sheet.name)}"
    yield ""
    for document in sheet.sources:
        edition = f", {document.edition}" if document.edition else ""
        yield f"- {document.title}{edition}: <{document.address}>, read {document.read.isoformat()}"
    yield ""
    yield from ("| code | status | reason | meaning |", "|---|---|---|---|")
    for code, row in sheet.codes.items():
        reason = f"`{row.reason}`" if row.reason else ""
        yield f"| `{_table_cell(code)}` | `{row.status}` | {reason} | {_table_cell(row.means)} |"
    yield from _word_list("Details that tell why", sheet.reasons)
    yield from _word_list("Families of unlisted codes, by their beginning", sheet.families)


def _word_list(title: str, meanings: dict[str, str]) -> Iterator[str]:
    if meanings:
        yield ""
        yield f"{title}: " + ", ".join(f"`{_table_cell(word)}` {meaning}" for word, meaning in meanings.items()) + "."


def _table_cell(text: str) -> str:
    return text.replace("|", "\\|")
