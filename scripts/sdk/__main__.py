"""Generate the client libraries: `python -m scripts.sdk --packages dist`."""

import argparse
import subprocess
import sys
from pathlib import Path

from scripts.sdk.generate import SDK, generate
from scripts.sdk.typescript_build import Unavailable, build, pack

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Generate the client libraries from published/openapi.json")
    parser.add_argument("--packages", type=Path, help="folder for the packages")
    packages: Path | None = parser.parse_args().packages
    generate()
    if packages:
        packages.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            packages,
            SDK / "python",
        ]
        subprocess.run(command, check=True)
        try:
            build()
            pack(packages)
        except Unavailable as reason:
            sys.exit(f"no TypeScript package: {reason}")
