"""A new order field needs a contract line, a store column and a migration."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from alembic.script import ScriptDirectory
from tests.support import one_more_field

ROOT = Path(__file__).resolve().parents[2]
FIELD, GATE_CODE = one_more_field.FIELD, one_more_field.GATE_CODE
CONTRACT_LINE = f'    {FIELD}: ShortText | None = Field(default=None, examples=["4711#"])\n    """Opens the gate."""\n'
COLUMN_LINE = f'    Column("{FIELD}", String(200)),\n'
MIGRATION = '''"""A gate code."""

import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "{revision}", "{previous}", None, None


def upgrade() -> None:
    """Take the step."""
    op.add_column("delivery_order", sa.Column("{field}", sa.String(200), nullable=True))
'''


def _with_one_more_field(folder: Path) -> Path:
    """Create a copy of the source tree with another field of orders."""
    package = folder / "src/haulier"
    shutil.copytree(ROOT / "src/haulier", package)  # with what is compiled already, if anything is
    orders = package / "contexts/orders/delivery_orders"
    _insert_before(orders / "contract/orders.py", "    photo_required: bool = False\n", CONTRACT_LINE)
    _insert_before(orders / "store/tables.py", '    Column("cod_minor", BigInteger),\n', COLUMN_LINE)
    versions = package / "migrations/versions"
    previous = ScriptDirectory(str(versions.parent)).get_current_head()  # numbers need not follow the order
    revision = f"{max(int(file.name[:4]) for file in versions.glob('[0-9]*.py')) + 1:04}"
    migration = MIGRATION.format(revision=revision, previous=previous, field=FIELD)
    (versions / f"{revision}_gate_code.py").write_text(migration)
    return package.parent


def _insert_before(file: Path, line: str, added: str) -> None:
    text = file.read_text()
    assert text.count(line) == 1
    file.write_text(text.replace(line, added + line))


def test_a_field_added_in_three_places_reaches_every_interface_copies_and_partners(tmp_path: Path) -> None:
    source = _with_one_more_field(tmp_path)
    run = subprocess.run(
        [sys.executable, one_more_field.__file__, f"sqlite:///{tmp_path / 'haulier.db'}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(source), str(ROOT)))},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4000:]
    seen = json.loads(run.stdout.splitlines()[-1])
    assert seen == dict.fromkeys(("REST", "GraphQL", "MCP", "reroute", "partner"), GATE_CODE)
