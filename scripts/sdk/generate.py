"""Files of the client libraries that are generated, and their stamp."""

import hashlib
import subprocess
import sys
from pathlib import Path

from filelock import FileLock
from scripts.sdk.contract import DOCUMENT, load
from scripts.sdk.python_client import PythonClient
from scripts.sdk.typescript_client import typescript_files

SDK = Path(__file__).parents[2] / "sdk"
PYTHON = SDK / "python" / "src" / "haulier_client"
TYPESCRIPT = SDK / "typescript" / "src"
STAMP = SDK / ".generated"


def generate() -> None:
    """Generate both libraries if the contract or a generator changed."""
    with FileLock(f"{STAMP}.lock"):
        stamp = fingerprint(DOCUMENT, *sorted(Path(__file__).parent.glob("*.py")))
        if STAMP.exists() and STAMP.read_text() == stamp:
            return
        STAMP.unlink(missing_ok=True)
        contract = load()
        files = PythonClient(contract).files()
        _write(files, PYTHON)
        _write(typescript_files(contract), TYPESCRIPT)
        command = [sys.executable, "-m", "ruff", "format", "--quiet", "--no-cache"]
        subprocess.run([*command, *(PYTHON / name for name in files)], check=True)
        STAMP.write_text(stamp)


def fingerprint(*files: Path) -> str:
    """Return a digest of the contents of files."""
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def _write(files: dict[str, str], folder: Path) -> None:
    """Write files below a folder, and remove former ones."""
    for former in (folder / "api").glob("*.*"):
        former.unlink()
    (folder / "api").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
