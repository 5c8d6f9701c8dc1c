"""The packages of the client libraries: whole, small and apart from the server."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from scripts.sdk.contract import load
from scripts.sdk.generate import PYTHON, SDK

ROOT = SDK.parent


def test_every_operation_has_a_method() -> None:
    written = "".join(file.read_text() for file in (PYTHON / "api").glob("*.py"))
    missing = [each.name for each in load().operations() if f" def {each.name}(" not in written]
    assert not missing


def test_the_wheel_contains_the_generated_modules_and_needs_only_httpx(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path]
    subprocess.run([*command, SDK / "python"], check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("haulier_client-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"haulier_client/api/orders.py", "haulier_client/types.py", "haulier_client/py.typed"} <= names
    assert wheel.stat().st_size < 600_000
    needs = tomllib.loads((SDK / "python" / "pyproject.toml").read_text())["project"]["dependencies"]
    assert [need.partition(">")[0] for need in needs] == ["httpx"]


def test_the_server_package_contains_no_client_library() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert not [path for path in (*wheel["packages"], *wheel["force-include"]) if path.startswith("sdk")]
    assert not list((ROOT / "src").rglob("haulier_client*"))


def test_importing_the_client_loads_no_group() -> None:
    code = "import sys, haulier_client; print(*[m for m in sys.modules if m.startswith('haulier_client')])"
    environment = {"PYTHONPATH": str(PYTHON.parent)}
    loaded = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    assert "haulier_client.types" not in loaded.stdout.split()
    assert "haulier_client.api.orders" not in loaded.stdout.split()
