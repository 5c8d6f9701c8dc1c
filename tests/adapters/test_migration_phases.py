"""Migrations are marked `expand` or `contract`, and keep to their phase."""

import ast
import json
from pathlib import Path

import pytest
from tests.support.databases import migrated_file
from typer.testing import CliRunner

from haulier.adapters.migrations import downgrade_schema, upgrade_schema
from haulier.adapters.revisions import EXPAND, MIGRATIONS_FOLDER, known_revisions, phases_of_revisions
from haulier.cli import app

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
