"""Make the virtual environment and install one pinned, hashed set of packages into it.

Uses uv where it is present (seconds) and falls back to venv and pip (half a minute); `INSTALLER=pip` asks for pip.
"""

import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path


def main(environment: Path, requirements: str) -> None:
    began = time.monotonic()
    python = environment / "bin" / "python"
    uv = None if os.environ.get("INSTALLER") == "pip" else shutil.which("uv")
    if not python.exists():
        print(f"making the environment {environment} …", flush=True)
        venv.create(environment, with_pip=True)
    installer = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]
    quiet = ["--quiet"] if uv else ["--quiet", "--quiet", "--disable-pip-version-check", "--no-compile"]
    # Not compiled ahead: that is a third of the time, and most of it is of modules that nothing imports.
    packages = sum("==" in line for line in Path(requirements).read_text().splitlines())
    print(f"installing {packages} packages of {requirements} …", flush=True)
    # The lock is complete (tests/invariants/test_locks.py), and leaves out what PyVRP wants for plots alone.
    subprocess.run([*installer, *quiet, "--no-deps", "--require-hashes", "-r", requirements], check=True)
    # Our own package is linked, not copied: it has no pinned hash, and it brings no dependency of its own.
    print("installing haulier itself …", flush=True)
    subprocess.run([*installer, *quiet, "--no-deps", "--editable", "."], check=True)
    print(f"installed in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
