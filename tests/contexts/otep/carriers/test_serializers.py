"""The reference page of the carriers' vocabularies."""

import re

from markdown_it import MarkdownIt
from tests.support.every_case import for_every

from haulier.contexts.otep.carriers import carriers_page
from haulier.contexts.otep.carriers.rules.tables import CARRIER_TABLES, CarrierTable

PAGE = carriers_page()


def chapter(key: str) -> str:
    return PAGE.split(f'<a id="{key}"></a>')[1].split('<a id="')[0]


@for_every("table", CARRIER_TABLES.values())
def test_a_chapter_lists_every_code_and_every_source(table: CarrierTable) -> None:
    text = chapter(table.key)
    rows = re.findall(r"^\| `(.+?)` \| `(\w+)` \|", text, re.MULTILINE)
    assert dict(rows) == {code: row.status for code, row in table.sheet.codes.items()}
    for document in table.sheet.sources:
        assert f"<{document.address}>, read {document.read}" in text


def test_the_page_is_valid_markdown_with_a_table_for_every_carrier() -> None:
    tokens = MarkdownIt().enable("table").parse(PAGE)
    assert sum(token.type == "table_open" for token in tokens) == len(CARRIER_TABLES) + 1
    assert all(PAGE.count(f"(#{key})") == 1 and PAGE.count(f'id="{key}"') == 1 for key in CARRIER_TABLES)


def test_the_page_is_reproducible() -> None:
    assert carriers_page() == PAGE
