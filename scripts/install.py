"""Creation of the virtual environment with one pinned, hashed set of packages.

It uses uv if present (seconds) and otherwise venv and pip (half a minute); `INSTALLER=pip` forces pip.
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
    # Not compiled ahead: that takes a third of the time, mostly for modules that are never imported.
    packages = sum("==" in line for line in Path(requirements).read_text().splitlines())
    print(f"installing {packages} packages of {requirements} …", flush=True)
    # The lock is complete (tests/invariants/test_locks.py) and excludes PyVRP's requirement for plots.
    subprocess.run([*installer, *quiet, "--no-deps", "--require-hashes", "-r", requirements], check=True)
    # Haulier itself is linked, not copied: it has no pinned hash and adds no dependencies.
    print("installing haulier itself …", flush=True)
    subprocess.run([*installer, *quiet, "--no-deps", "--editable", "."], check=True)
    print(f"installed in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
