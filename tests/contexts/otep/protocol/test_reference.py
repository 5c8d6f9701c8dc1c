"""The reference page is complete, matches the tables and is up to date."""

from functools import partial
from pathlib import Path

from tests.contexts.otep.projections.timeline_factories import make_event
from tests.support.every_case import for_every

from haulier.cli.publish import OTEP, render_otep_reference
from haulier.contexts.otep.projections import FORMATS, rules
from haulier.contexts.otep.protocol.serializers import CodeTable, code_tables, reference_page
from haulier.contexts.otep.validation.rules.value_checks import FINDING_RULES
from haulier.contexts.otep.vocabulary.rules import CODE_ALIASES, INCIDENT_REASONS, STATUS_CODES, code_address
from haulier.kernel.i18n.languages import Catalogues

PAGE = reference_page(partial(Catalogues().translate, "en"))
TABLES = {table.name: table for table in code_tables()}
MAPPED = [table for table in TABLES.values() if table.rows]


def test_the_published_page_is_up_to_date() -> None:
    root = Path(__file__).resolve().parents[4]
    assert (root / OTEP).read_text() == render_otep_reference(), "run `make published` and look at the difference"


def test_every_protocol_term_is_on_the_page() -> None:
    for row in STATUS_CODES:
        assert f"| `{row.code}` | `{code_address(row.code, row.profile)}` | {row.phase} |" in PAGE
    assert all(f"| `{alias}` | `{code}` |" in PAGE for alias, code in CODE_ALIASES.items())
    assert all(f"\n| `{reason}` | " in PAGE for reason in INCIDENT_REASONS)
    assert all(f"\n| `{code.upper()}` | {rule.severity.value} | " in PAGE for code, rule in FINDING_RULES.items())


def test_no_message_on_the_page_has_placeholders() -> None:
    assert "{" not in PAGE.replace("stateDiagram", "").split("## What the validator finds")[1]
    assert "otep.status." not in PAGE


def test_the_page_includes_the_journey_diagram() -> None:
    assert "```mermaid\nstateDiagram-v2\n" in PAGE
    assert PAGE.count("```") == 2


def test_every_format_has_a_section_with_its_source() -> None:
    assert TABLES.keys() == FORMATS.keys()
    for name, format in FORMATS.items():
        assert f"### `{name}`: {format.title}\n\nSource: {format.source}." in PAGE


def test_formats_without_a_table_use_the_code_itself() -> None:
    assert {name for name, table in TABLES.items() if not table.rows} == {"otep", "sensorthings"}


@for_every("table", MAPPED)
def test_every_code_is_listed_once_per_format_table(table: CodeTable) -> None:
    codes = [code.strip("`") for row in table.rows for code in row[0].split(", ")]
    assert sorted(codes) == sorted(row.code for row in STATUS_CODES)
    assert all(len(row) == len(table.columns) + 1 for row in table.rows)


@for_every("row", STATUS_CODES)
def test_the_page_matches_the_projection(row: object) -> None:
    """Read against the chart that the UN/CEFACT projection itself looks up."""
    from haulier.contexts.otep.projections.uncefact import MAPPING
    from haulier.contexts.otep.vocabulary.rules import StatusCode

    assert isinstance(row, StatusCode)
    cells = next(each[1:] for each in TABLES["uncefact"].rows if f"`{row.code}`" in each[0].split(", "))
    assert cells == (f"`{MAPPING.row(make_event(row.code, row.phase)).code}`",)


def test_page_rows_match_the_data() -> None:
    sheet = rules.read_mapping_table("epcis")
    arrival = next(row for row in TABLES["epcis"].rows if row[0] == "`arrival_scan`")
    assert TABLES["epcis"].columns == ("step", "disposition", "stays")
    assert arrival[1:] == (f"`{sheet['codes']['arrival_scan']['step']}`", "`in_progress`", "yes")


def test_reasons_are_listed_where_a_format_has_them() -> None:
    assert dict(TABLES["uncefact"].reasons).keys() == {f"`{code}`" for code in INCIDENT_REASONS}
    assert dict(TABLES["aftership"].reasons)["`weather` (with Exception)"].startswith("`Exception`, `Exception_017`")
    assert TABLES["etsy"].reasons == ()
