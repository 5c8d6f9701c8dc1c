"""Migrations are marked `expand` or `contract`, and keep to their phase."""

import ast
import json
from pathlib import Path

import pytest
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.adapters.migrations import downgrade_schema, upgrade_schema
from haulier.adapters.revisions import (
    CONTRACT,
    EXPAND,
    MIGRATIONS_FOLDER,
    completed_expansions,
    known_revisions,
    phases_of_revisions,
)
from haulier.cli import app

RELEASES = sorted(file.name[:4] for file in Path(__file__).with_name("schemas").glob("*.sql.gz"))
"""Newest revision of each release: it adds a dump of its database."""
BEFORE_RELEASES = {"0128", "0133", "0137"}
"""`contract` revisions that no release preceded. This set never grows."""
FILES = sorted(MIGRATIONS_FOLDER.glob("versions/[0-9]*.py"))
REMOVES = {"drop_table", "drop_column", "rename_table", "create_check_constraint", "create_foreign_key"}
"""Steps that break the version before: it uses what is removed, or writes what a new constraint refuses."""


def steps_of(file: Path) -> list[ast.Call]:
    """Return the calls in `upgrade`."""
    (upgrade,) = [
        node
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name == "upgrade"
    ]
    return [node for node in ast.walk(upgrade) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]


def faults_of(call: ast.Call) -> list[str]:
    """Return why a step would break servers of the version before."""
    assert isinstance(call.func, ast.Attribute)
    name, given = call.func.attr, {each.arg: ast.unparse(each.value) for each in call.keywords}
    if name in REMOVES:
        return [name]
    if name == "alter_column" and (given.get("nullable") == "False" or "new_column_name" in given):
        return [f"{name} {ast.unparse(call)}"]
    if name == "add_column":
        column = next(each for each in call.args if isinstance(each, ast.Call))
        facts = {each.arg: ast.unparse(each.value) for each in column.keywords}
        if facts.get("nullable") == "False" and "server_default" not in facts:
            return [f"{name} {ast.unparse(column.args[0])} without a default"]
    return []


def test_every_revision_has_a_phase() -> None:
    assert phases_of_revisions().keys() == set(known_revisions())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_expand_migration_is_compatible_with_the_previous_version(file: Path) -> None:
    if phases_of_revisions()[file.stem.partition("_")[0]] == EXPAND:
        assert [fault for call in steps_of(file) for fault in faults_of(call)] == []


def faults_of_contract(revision: str, completes: str | None, releases: list[str]) -> str | None:
    """Return why a `contract` revision must not be in this release."""
    if completes is None:
        return f"{revision} names no `completes`: the expand revision whose old form it removes"
    if not any(completes <= release < revision for release in releases):
        return (
            f"{revision} and {completes} are in the same release: servers of the version before still use the old form"
        )
    return None


def test_a_contract_migration_follows_its_expansion_by_a_release() -> None:
    phases, completed = phases_of_revisions(), completed_expansions()
    contracts = {revision for revision, phase in phases.items() if phase == CONTRACT} - BEFORE_RELEASES
    found = [faults_of_contract(each, completed.get(each), RELEASES) for each in sorted(contracts)]
    assert [fault for fault in found if fault] == []
    assert {phases[each] for each in completed.values()} <= {EXPAND}


@pytest.mark.parametrize(
    ("completes", "releases", "refused"),
    [
        (None, ["0150"], "names no"),
        ("0151", [], "in the same release"),
        ("0151", ["0150"], "in the same release"),
        ("0151", ["0150", "0152"], None),
        ("0150", ["0150"], None),
    ],
)
def test_a_contract_in_the_release_of_its_expansion_is_refused(
    completes: str | None, releases: list[str], refused: str | None
) -> None:
    fault = faults_of_contract("0152" if releases != ["0150", "0152"] else "0153", completes, releases)
    assert (refused in (fault or "")) if refused else fault is None


@pytest.mark.parametrize(
    ("step", "breaks"),
    [
        ("op.drop_table('order')", True),
        ("batch_op.alter_column('a', nullable=False)", True),
        ("batch_op.alter_column('a', new_column_name='b')", True),
        ("batch_op.add_column(sa.Column('a', sa.Integer(), nullable=False))", True),
        ("batch_op.add_column(sa.Column('a', sa.Integer(), server_default='0', nullable=False))", False),
        ("batch_op.add_column(sa.Column('a', sa.Integer(), nullable=True))", False),
        ("op.create_table('order')", False),
    ],
)
def test_steps_that_break_the_previous_version_are_detected(step: str, breaks: bool, tmp_path: Path) -> None:
    file = tmp_path / "step.py"
    file.write_text(f"def upgrade():\n    {step}\n")
    assert any(faults_of(call) for call in steps_of(file)) is breaks


def test_pending_revisions_are_listed_with_their_phase(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    downgrade_schema(url, known_revisions()[-2])
    ran = CliRunner().invoke(app, ["db", "pending", "--json", "--database", url])
    newest = known_revisions()[-1]
    assert json.loads(ran.output) == [{"revision": newest, "phase": phases_of_revisions()[newest]}]
    upgrade_schema(url)
    assert json.loads(CliRunner().invoke(app, ["db", "pending", "--json", "--database", url]).output) == []
