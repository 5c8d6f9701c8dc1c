"""Make the virtual environment and install one pinned, hashed set of packages into it.

Uses uv where it is present (seconds) and falls back to venv and pip (half a minute).
"""

import shutil
import subprocess
import sys
import venv
from pathlib import Path


def main(environment: Path, requirements: str) -> None:
    python = environment / "bin" / "python"
    uv = shutil.which("uv")
    if not python.exists():
        venv.create(environment, with_pip=True)
    installer = [uv, "pip", "install", "--python", str(python)] if uv else [str(python), "-m", "pip", "install"]
    quiet = "--quiet"
    print(f"installing {requirements} into {environment} …", flush=True)
    subprocess.run([*installer, quiet, "--require-hashes", "-r", requirements], check=True)
    # Our own package is linked, not copied: it has no pinned hash, and it brings no dependency of its own.
    subprocess.run([*installer, quiet, "--no-deps", "--editable", "."], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
