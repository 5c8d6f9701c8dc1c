"""The files in deploy/ are valid, and their steps work without containers."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import jsonschema
import prometheus_client
import pytest
import yaml
from scripts.postgres_server import BINARIES, run_postgres
from scripts.prove_image import resolved
from scripts.stranger import Unproved
from tests.deploy.chart import Chart
from typer.main import get_command

import haulier.process_monitor
import haulier.server  # noqa: F401 - declares the metrics of a server
from haulier.app import load_tables
from haulier.cli import app
from haulier.settings import SECRETS, Settings

ROOT = Path(__file__).resolve().parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose" / "compose.yaml").read_text())
FILLED = {"IMAGE": f"haulier@sha256:{'0' * 64}", "HOST": "freight.example", "MAIL_FROM": "Freight <a@freight.example>"}
UNITS = sorted((ROOT / "systemd").glob("*.service"))
EVERYTHING_ON: dict[str, Any] = {
    "server": {"autoscaling": {"enabled": True}},
    "worker": {"autoscaling": {"enabled": True}, "lanes": "builds=2,default"},
    "serviceMonitor": {"enabled": True},
    "ingress": {"enabled": True, "tlsSecret": "tls"},
    "settings": {"REPLICAS": "postgresql://b.example/haulier", "RATE_LIMITS": True},
    "image": {"digest": f"sha256:{'0' * 64}"},
}
METRIC = re.compile(r"\b(?:haulier|process)_[a-z_]+")


def unknown_settings(variables: list[str]) -> list[str]:
    """Return the variables that are no settings."""
    known = {f"HAULIER_{name.upper()}" for name in Settings.model_fields}
    known |= {f"HAULIER_{name.upper()}_FILE" for name in SECRETS}
    return [name for name in variables if name.startswith("HAULIER_") and name not in known]


def require_command(words: list[str]) -> None:
    """Check that words are a command of `haulier` with its options."""
    command: Any = get_command(app)
    for word in words:
        if not word.startswith("-") and hasattr(command, "commands"):
            command = command.commands[word]
    flags = {flag for each in command.params for flag in each.opts}
    assert {word for word in words if word.startswith("-")} <= flags, words


def run(*words: str, at: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: text for name, text in os.environ.items() if not name.startswith("HAULIER_")}
    path = f"{BINARIES}:{clean['PATH']}"
    return subprocess.run(
        words, cwd=at, env={**clean, **environment, "PATH": path}, text=True, capture_output=True, check=False
    )


# Compose


def test_compose_files_match_the_compose_specification() -> None:
    checker = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    ran = subprocess.run(
        [*checker, str(ROOT / "compose" / "compose.yaml")], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout


def test_compose_requires_values_without_safe_defaults() -> None:
    for name in FILLED:
        with pytest.raises(Unproved, match=name):
            resolved(COMPOSE, {key: text for key, text in FILLED.items() if key != name})
    services = resolved(COMPOSE, FILLED)["services"]
    assert services["server"]["environment"]["HAULIER_BASE_URL"] == "https://freight.example"
    assert {"secrets_keys", "database"} <= set(services["server"]["secrets"])
    assert [
        name for name in services if not services[name].get("mem_limit") or not services[name].get("pids_limit")
    ] == []


def test_services_use_known_settings_commands_and_files() -> None:
    for name in ("server", "worker", "migrations"):
        service = COMPOSE["services"][name]
        assert unknown_settings(list(service["environment"])) == []
        require_command(service["command"])
    mounted = [each.split(":")[0] for service in COMPOSE["services"].values() for each in service.get("volumes", ())]
    files = [each for each in mounted if each.startswith("./")]
    assert [each for each in files if not (ROOT / "compose" / each).exists()] == []
    grace = Settings.model_fields["shutdown_grace_s"].default
    assert int(COMPOSE["services"]["server"]["stop_grace_period"].removesuffix("s")) > 2 * grace


def test_the_steps_of_compose_work_on_a_real_server(tmp_path: Path) -> None:
    """Create the secrets, the role and a backup, migrate, and restore the backup."""
    folder = tmp_path / "compose"
    shutil.copytree(ROOT / "compose", folder)
    missing = run("./prepare.sh", at=folder)
    assert (missing.returncode, "MAIL" in missing.stderr) == (2, True), missing
    for _ in range(2):
        prepared = run("./prepare.sh", at=folder, MAIL="smtps://user:password@mail.example")
        assert prepared.returncode == 0, prepared.stderr
    secrets = {name: str(folder / "secrets" / name) for name in COMPOSE["secrets"]}
    assert all(Path(each).stat().st_size for each in secrets.values())
    with run_postgres() as server:
        address = urlsplit(server.url("postgres", "postgres"))
        at_server = {
            "PGHOST": unquote(address.hostname or parse_qs(address.query)["host"][0]),
            "PGPORT": str(address.port or 5432),
        }
        made = run("./role.sh", at=folder, DATABASE_FILE=secrets["database"], **at_server)
        assert made.returncode == 0, made.stderr
        password = urlsplit(Path(secrets["database"]).read_text()).password
        Path(secrets["database"]).write_text(server.url("haulier", f"haulier:{password}"))
        settings = {f"HAULIER_{name.upper()}_FILE": secrets[name] for name in ("database", "secrets_keys", "mail")}
        for words in (["config", "check"], ["db", "upgrade"], ["doctor"]):
            ran = run(sys.executable, "-m", "haulier", *words, at=folder, **settings)
            if words == ["doctor"]:
                assert "row-level security binds the role haulier" in ran.stdout, ran.stdout
            else:
                assert ran.returncode == 0, ran.stderr
        backup = {"PASSWORD_FILE": secrets["postgres_password"], "BACKUPS_FOLDER": str(folder / "backups"), "ONCE": "1"}
        at_database = {**at_server, "PGUSER": "postgres", "PGDATABASE": "haulier"}
        dumped = run("./backup.sh", at=folder, **backup, **at_database)
        (dump,) = (folder / "backups").glob("haulier-*.dump")
        assert dumped.stdout == f"wrote {dump.name}\n"
        listed = run("pg_restore", "--list", str(dump), at=folder)
        assert " delivery_order " in listed.stdout


# systemd


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_use_known_settings_and_commands_and_are_hardened(unit: Path) -> None:
    text = unit.read_text()
    assert unknown_settings(re.findall(r"^Environment=(\w+)=", text, re.MULTILINE)) == []
    (command,) = re.findall(r"^ExecStart=/opt/haulier/bin/haulier (.*)$", text, re.MULTILINE)
    require_command(command.split())
    credentials = set(re.findall(r"^LoadCredential=(\w+):", text, re.MULTILINE))
    assert credentials == {
        each.lower() for each in re.findall(r"^Environment=HAULIER_(\w+)_FILE=%d/", text, re.MULTILINE)
    }
    assert {"NoNewPrivileges=true", "ProtectSystem=strict", "ProtectHome=true"} <= set(text.splitlines())


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_accepts_a_unit(unit: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit.read_text(), flags=re.MULTILINE))
    ran = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_settings_of_the_units_are_valid(tmp_path: Path) -> None:
    lines = [line for line in (ROOT / "systemd" / "haulier.env").read_text().splitlines() if not line.startswith("#")]
    given = dict(line.split("=", 1) for line in lines)
    ran = run(sys.executable, "-m", "haulier", "config", "check", at=tmp_path, **given)
    assert ran.returncode == 0, ran.stderr


# Reverse proxies


def test_proxies_support_streams_websockets_uploads_and_client_addresses() -> None:
    nginx = (ROOT / "nginx" / "haulier.conf").read_text()
    named = ("X-Forwarded-For", "X-Forwarded-Proto", "Upgrade", "proxy_buffering    off", "client_max_body_size 64m")
    assert [word for word in named if word not in nginx] == []
    assert nginx.count("{") == nginx.count("}")
    for file in (ROOT / "caddy" / "Caddyfile", ROOT / "compose" / "Caddyfile"):
        caddy = file.read_text()
        assert [
            word for word in ("flush_interval -1", "max_size 64MB", "health_uri /readyz") if word not in caddy
        ] == []
        assert caddy.count("{") == caddy.count("}")


def test_nginx_accepts_its_configuration(tmp_path: Path) -> None:
    if not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    site = re.sub(r"ssl_certificate\S*\s.*", "", (ROOT / "nginx" / "haulier.conf").read_text()).replace(" ssl;", ";")
    (tmp_path / "nginx.conf").write_text(f"events {{}}\nhttp {{\n{site}\n}}\n")
    ran = run("nginx", "-t", "-p", str(tmp_path), "-c", "nginx.conf", at=tmp_path)
    assert "syntax is ok" in ran.stderr, ran.stderr


def test_caddy_accepts_its_configuration(tmp_path: Path) -> None:
    if not shutil.which("caddy"):
        pytest.skip("caddy is not installed")
    for file in (ROOT / "caddy" / "Caddyfile", ROOT / "compose" / "Caddyfile"):
        ran = run("caddy", "adapt", "--config", str(file), "--adapter", "caddyfile", at=tmp_path, HOST="a.example")
        assert ran.returncode == 0, ran.stderr


# Kubernetes


@pytest.mark.parametrize("changes", [{}, EVERYTHING_ON], ids=["default", "everything on"])
def test_the_chart_renders_manifests_for_the_service(changes: dict[str, Any]) -> None:
    manifests = Chart(ROOT / "helm" / "haulier").render(**changes)
    assert len({(each["kind"], each["metadata"]["name"]) for each in manifests}) == len(manifests)
    pods = {
        each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in manifests if "template" in each["spec"]
    }
    assert set(pods) == {"freight-migrations", "freight-server", "freight-worker"}
    for name, pod in pods.items():
        (container,) = pod["containers"]
        variables = [each["name"] for each in container["env"]]
        assert (unknown_settings(variables), len(set(variables))) == ([], len(variables))
        require_command(container["args"])
        assert pod["enableServiceLinks"] is False
        assert pod["securityContext"]["runAsNonRoot"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        if name != "freight-migrations":
            assert {"startupProbe", "livenessProbe", "resources"} <= container.keys()
    assert pods["freight-server"]["containers"][0]["readinessProbe"]["httpGet"]["path"] == "/readyz"
    kinds = {each["kind"] for each in manifests}
    assert {"Deployment", "Job", "Service", "PodDisruptionBudget"} <= kinds
    if changes:
        assert {"HorizontalPodAutoscaler", "ServiceMonitor", "Ingress"} <= kinds


def test_chart_values_match_their_schema() -> None:
    folder = ROOT / "helm" / "haulier"
    schema, values = (
        json.loads((folder / "values.schema.json").read_text()),
        yaml.safe_load((folder / "values.yaml").read_text()),
    )
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(values, schema)
    assert schema["properties"].keys() - {"global"} == values.keys()
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**values, "sever": {}}, schema)


def test_helm_accepts_the_chart() -> None:
    if not shutil.which("helm"):
        pytest.skip("helm is not installed")
    ran = run("helm", "lint", "--strict", str(ROOT / "helm" / "haulier"), at=ROOT)
    assert ran.returncode == 0, ran.stdout


# Monitoring


def served_metrics() -> dict[str, set[str]]:
    """Return the label names of every series that /metrics can have."""
    load_tables()  # imports every context
    series: dict[str, set[str]] = {}
    for collector in list(prometheus_client.REGISTRY._collector_to_names):
        labels = {*getattr(collector, "_labelnames", ()), "le", "job", "instance"}
        for name in prometheus_client.REGISTRY._collector_to_names[collector]:
            series[name] = labels
    return series


def expressions() -> list[str]:
    """Return every query of the alerts and the dashboard."""
    alerts = yaml.safe_load((ROOT / "prometheus" / "alerts.yaml").read_text())
    board = json.loads((ROOT / "grafana" / "haulier.json").read_text())
    rules = [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    return rules + [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def test_alerts_and_dashboard_use_exported_metrics() -> None:
    series, served = served_metrics(), prometheus_client.generate_latest().decode()
    for expression in expressions():
        for name in METRIC.findall(expression):
            assert name in series, f"{name} in {expression}"
            assert name.removesuffix("_bucket").removesuffix("_sum") in served
        names = METRIC.findall(expression)
        allowed = set[str]().union(*(series[name] for name in names)) | {"job", "instance"}
        grouped = re.findall(r"by \(([^)]*)\)", expression)
        asked = {label.strip() for each in grouped for label in each.split(",")}
        asked |= set(re.findall(r"[{,]\s*(\w+)\s*(?:=~|!=|=)\s*\"", expression))
        assert asked <= allowed, f"{asked - allowed} in {expression}"


def test_every_metric_is_used_by_an_alert_or_the_dashboard() -> None:
    ours = {name for name in served_metrics() if name.startswith("haulier_")}
    families = {re.sub(r"_(total|bucket|sum|count|created)$", "", name) for name in ours} - {"haulier_node"}
    asked = {re.sub(r"_(total|bucket|sum|count)$", "", name) for each in expressions() for name in METRIC.findall(each)}
    assert families - asked == set()
