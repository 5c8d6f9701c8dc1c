"""Programs in TypeScript: compiled strictly, then run by Node.js."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from scripts.sdk.generate import fingerprint
from scripts.sdk.typescript_build import FOLDER, STAMP, Unavailable, build, run_node

PROGRAMS = Path(__file__).parent / "programs"
HOME = FOLDER / "node_modules" / ".programs"
OPTIONS = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "exactOptionalPropertyTypes": True,
    "skipLibCheck": False,
    "target": "ES2022",
    "lib": ["ES2022", "DOM", "DOM.Iterable"],
    "module": "NodeNext",
    "moduleResolution": "NodeNext",
    "types": ["node"],
    "typeRoots": ["../@types"],
    "rootDir": "src",
    "outDir": "built",
}


@cache
def compiled(*more: Path) -> Path:
    """Return the folder with all programs compiled.

    Skips the test if npm cannot install the packages."""
    try:
        build()
    except Unavailable as reason:
        pytest.skip(str(reason))
    sources = [*sorted(PROGRAMS.glob("*.ts")), *more]
    with FileLock(FOLDER / "node_modules" / ".programs.lock"):
        stamp = fingerprint(STAMP, Path(__file__), *sources)
        if not (HOME / "done").exists() or (HOME / "done").read_text() != stamp:
            (HOME / "src").mkdir(parents=True, exist_ok=True)
            (HOME / "node_modules" / "@haulier").mkdir(parents=True, exist_ok=True)
            package = HOME / "node_modules" / "@haulier" / "client"
            if not package.is_symlink():
                package.symlink_to(FOLDER)
            for source in sources:
                (HOME / "src" / source.name).write_text(source.read_text())
            (HOME / "package.json").write_text('{"private": true, "type": "module"}')
            (HOME / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "include": ["src"]}))
            run_node("node_modules/typescript/bin/tsc", "--project", str(HOME))
            (HOME / "done").write_text(stamp)
    return HOME


def run_program(name: str, *words: str) -> Any:
    """Run a program and return the JSON that it prints."""
    return json.loads(run_node(str(compiled() / "built" / f"{name}.js"), *words))
