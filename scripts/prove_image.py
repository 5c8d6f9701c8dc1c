"""Check of Dockerfile and compose.yaml on a machine without containers.

Run `make prove`. The steps of the Dockerfile run in a folder that stands in for the file systems of the images; then
the services of compose.yaml run as processes with their entry point, commands and variables, on a PostgreSQL with a
role created by the mounted script. Not covered: base images, users and container isolation.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from scripts.postgres_server import BINARIES, Postgres, run_postgres
from scripts.stranger import PATIENCE_S, PYTHON, ROOT, Unproved, environment, run, serving

OF_THE_IMAGE = ("/build", "/opt/docs", "/opt/haulier", "/srv/haulier")
"""Paths created by the Dockerfile; all others belong to the base images."""
NOT_EXERCISED = ("FROM", "USER", "EXPOSE", "ARG")
SECRETS = {
    "POSTGRES_PASSWORD": "first",
    "DATABASE_PASSWORD": "0123456789abcdef",
    "SECRETS_KEYS": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
}
PERSON = {"email": "ada@image.example", "password": "four-long-words-here"}


class Step(NamedTuple):
    """One instruction of a Dockerfile."""

    word: str
    rest: str


def steps(text: str) -> Iterator[Step]:
    """Yield the instructions of a Dockerfile, each on one line."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in re.sub(r"\\\n", " ", "\n".join(lines)).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield Step(word.upper(), rest.strip())


class Image:
    """A folder as the file system of an image, and the run settings of the image."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.at = root
        self.variables: dict[str, str] = {}
        self.entry: list[str] = []
        self.command: list[str] = []
        self.health: list[str] = []

    def here(self, text: str) -> str:
        """Replace the paths of the image in a text by those in the folder."""
        return re.sub(rf"(?<![\w/])({'|'.join(OF_THE_IMAGE)})(?![\w-])", rf"{self.root}\1", text)

    def take(self, step: Step) -> None:
        """Execute an instruction."""
        match step.word:
            case "WORKDIR":
                self.at = Path(self.here(step.rest))
                self.at.mkdir(parents=True, exist_ok=True)
            case "COPY":
                self._copy(step.rest.split())
            case "RUN":
                run("sh", "-euc", self.here(step.rest), at=self.at, **self.variables)
            case "ENV":
                given = (word.split("=", 1) for word in shlex.split(self.here(step.rest)))
                path = environment()["PATH"]
                self.variables |= {name: value.replace("$PATH", path) for name, value in given}
            case "HEALTHCHECK":
                self.health = json.loads(step.rest.partition("CMD")[2])
            case "ENTRYPOINT":
                self.entry = json.loads(step.rest)
            case "CMD":
                self.command = json.loads(step.rest)
            case other if other not in NOT_EXERCISED:
                raise Unproved(f"unsupported instruction {other}")
            case _:
                pass

    def _copy(self, words: list[str]) -> None:
        *sources, last = (word for word in words if not word.startswith("--"))
        target = self.at / self.here(last)
        if any(word.startswith("--from") for word in words):  # stages share the folder: the source must exist already
            if [self.here(source) for source in sources] != [str(target)] or not target.exists():
                raise Unproved(f"COPY {' '.join(words)} copies files that no stage created")
            return
        kept = allowed((ROOT / ".dockerignore").read_text())
        for source in sources:
            if source not in kept:
                raise Unproved(f"COPY {source}: .dockerignore excludes it")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
            else:
                shutil.copy(ROOT / source, target)

    def words(self, command: list[str]) -> list[str]:
        """Resolve a command on the path of the image."""
        found = shutil.which(command[0], path=self.variables["PATH"])
        if not found:
            raise Unproved(f"the image has no command {command[0]}")
        return [found, *command[1:]]


def allowed(ignored: str) -> set[str]:
    """Return the paths that a .dockerignore starting with `*` allows."""
    return {line[1:] for line in ignored.splitlines() if line.startswith("!")}


def resolved(value: Any, secrets: dict[str, str]) -> Any:
    """Return a part of compose.yaml with its variables resolved.

    Raises an error for a required variable that is not set.
    """
    if isinstance(value, dict):
        return {name: resolved(each, secrets) for name, each in value.items()}
    if isinstance(value, list):
        return [resolved(each, secrets) for each in value]
    if not isinstance(value, str):
        return value

    def filled(found: re.Match[str]) -> str:
        name, kind, words = found.groups()
        if name not in secrets and kind != ":-":
            raise Unproved(f"compose.yaml: {name}: {words}")
        return secrets.get(name, words)

    return re.sub(r"\$\{(\w+)(:-|:\?)?([^}]*)\}", filled, value)


def built(root: Path) -> Image:
    """Build the image with every step."""
    image = Image(root)
    (root / "bin").mkdir()
    (root / "bin" / "python").symlink_to(PYTHON)  # provided by the base image
    image.variables = {"PATH": f"{root}/bin:{environment()['PATH']}"}
    for step in steps((ROOT / "Dockerfile").read_text()):
        began = time.monotonic()
        image.take(step)
        if step.word == "RUN":
            print(f"  {step.rest[:96]}: {time.monotonic() - began:.0f} s", flush=True)
    return image


def alone(image: Image) -> None:
    """Run the image without compose until its health check passes."""
    with serving(*image.words([*image.entry, *image.command]), at=image.at, more=image.variables) as visit:
        port = {"HAULIER_PORT": visit.base.rpartition(":")[2]}
        run(*image.words(image.health), at=image.at, **{**image.variables, **port})
        visit.documentation()
        visit.stop()
        json_lines(visit.said)
    print(f"  {' '.join(image.entry + image.command)}: healthy by its own check, its log is JSON, stopped", flush=True)


def json_lines(said: str) -> None:
    """Check that every line of a container log is a JSON record."""
    for line in said.splitlines():
        try:
            json.loads(line)
        except ValueError:
            raise Unproved(f"a log line is not a JSON record: {line}") from None


def composed(image: Image, services: dict[str, Any], postgres: Postgres) -> None:
    """Run the services in order: role, migrations, server and worker."""
    socket = postgres.folder
    script = ROOT / next(each for each in services["db"]["volumes"] if ".sh:" in each).partition(":")[0]
    given = {"POSTGRES_USER": "postgres", "PGHOST": str(socket), "PATH": f"{BINARIES}:{os.environ['PATH']}"}
    run(script, at=image.at, **{**services["db"]["environment"], **given})

    def of(name: str) -> tuple[list[str], dict[str, str]]:
        service = services[name]
        told = {key: value.replace("@db/", "@/") for key, value in service["environment"].items()}
        told["HAULIER_DATABASE"] += f"?host={socket}"
        return image.words([*image.entry, *service["command"]]), {**image.variables, **told}

    command, told = of("migrations")
    run(*command, at=image.at, **told)
    person = ("user", "add", PERSON["email"], "--client", "image", "--password", PERSON["password"])
    run(*image.words([*image.entry, *person]), at=image.at, **told)
    command, told = of("worker")
    worker = subprocess.Popen(command, cwd=image.at, env=environment(**told), stdin=subprocess.DEVNULL)
    try:
        command, told = of("server")
        with serving(*command, at=image.at, more=told) as visit:
            visit.one_order(PERSON)
            visit.stop()
    finally:
        worker.terminate()
        if code := worker.wait(PATIENCE_S):
            raise Unproved(f"the worker ended with {code}")
    print("  compose: role, migrations, server and worker: signed in, ordered, tracked, stopped", flush=True)


def main() -> int:
    """Run the check, or report what failed."""
    services = resolved(yaml.safe_load((ROOT / "compose.yaml").read_text()), SECRETS)["services"]
    with tempfile.TemporaryDirectory(prefix="haulier-image-") as folder, run_postgres() as postgres:
        try:
            print("Dockerfile steps, in a folder:", flush=True)
            image = built(Path(folder))
            alone(image)
            composed(image, services, postgres)
        except (Unproved, subprocess.TimeoutExpired) as fault:
            print(f"NOT PROVED: {fault}", file=sys.stderr)
            return 1
    print("proved: image steps and compose services, without containers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
