"""Extension packages add carriers, formats and providers."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.extensions import CARRIERS, clear_extensions, installed_extensions

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "extension"

USED = """
import asyncio, json, sys
from datetime import UTC, datetime
from haulier.adapters.carriers.remote import remote_carriers
from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.contexts.messaging.ports import SmsRefused
from haulier.contexts.messaging.sms.contract import SetSmsAccount
from haulier.contexts.otep.public import FORMATS
from haulier.contexts.orders.delivery_orders.operations.query import LABEL_TYPES
from haulier.rendering.label_writers import LABEL_WRITERS
from haulier.rendering.labels import LabelContent, LabelParty
from haulier.contexts.shipping.ports import LabelFormat, Parcel, Party, Shipment

async def use():
    opened = {kind.code: open_account for kind, open_account in remote_carriers()}
    carrier = opened["PEDAL"]({"depot": "north"}, True)
    place = Party("Ada", "1 Main St", "Toronto", "CA")
    shipment = Shipment("R1", place, place, (Parcel(900),), datetime(2026, 11, 23, tzinfo=UTC))
    (rate,) = (await carrier.rate(shipment)).rates
    bought = await carrier.buy(shipment, rate, LabelFormat.ZPL)
    sent = HttpSmsProviders().carrier("pigeon", "acc", "secret", "+14165550100")
    try:
        await sent.send("+14165550123", "hello")
    except SmsRefused as refused:
        code = refused.code
    label = LabelContent(carrier="P", service="S", tracking_number="N1", sender=LabelParty(name="A"),
                         recipient=LabelParty(name="Ada", place="Toronto"))
    account = SetSmsAccount(provider="pigeon", account="acc1", secret="secret", sender="+14165550100")
    return {"carriers": sorted(opened), "number": bought.tracking_number, "formats": list(FORMATS), "sms": code,
            "provider": account.provider, "labels": LABEL_TYPES, "csv": LABEL_WRITERS["csv"].write([label]).decode()}

print(json.dumps(asyncio.run(use())))
"""

STARTED = """
from haulier.app import build_application
from haulier.settings import Settings
build_application(Settings(database="sqlite:///unopened.db"))
"""


def install(folder: Path, groups: dict[str, dict[str, str]]) -> None:
    """Create the files of an installed package: modules and entry points."""
    about = folder / "haulier_example-1.0.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: haulier-example\nVersion: 1.0.0\n")
    lines = [
        line for group, names in groups.items() for line in (f"[{group}]", *(f"{n} = {v}" for n, v in names.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    shutil.copytree(EXAMPLE / "src" / "haulier_example", folder / "haulier_example")


def of_the_example() -> dict[str, dict[str, str]]:
    """The entry points of its `pyproject.toml`."""
    return tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]


def run(folder: Path, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Another process, whose modules are also looked for in the folder."""
    path = os.pathsep.join([str(folder), *sys.path[1:]])
    return subprocess.run(
        [sys.executable, *command], input=given, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )


def test_the_example_adds_a_carrier_a_format_and_a_provider(tmp_path: Path) -> None:
    install(tmp_path, of_the_example())
    done = run(tmp_path, "-c", USED)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert {"PEDAL", "UPS", "CANADA_POST"} <= set(said["carriers"])
    assert said["number"] == "PEDAL-north-R1"
    assert said["formats"][0] == "otep"
    assert said["formats"][-1] == "lines"
    assert said["labels"]["csv"] == "text/csv"
    assert said["csv"] == "N1,Ada,Toronto\r\n"
    assert (said["sms"], said["provider"]) == ("no_pigeon", "pigeon")


def test_the_cli_shows_timelines_in_an_extensions_format(tmp_path: Path) -> None:
    install(tmp_path, of_the_example())
    event = {
        "event_id": "1", "status_code": "delivered", "phase": "delivered", "occurred_at": "2026-11-22T10:00:00Z",
        "recorded_at": "2026-11-22T10:00:00Z", "source": {"type": "carrier"},
    }  # fmt: skip
    timeline = {"otep_version": "0.1.0", "subject": {"tracking_number": "HB1"}, "events": [event]}
    done = run(tmp_path, "-m", "haulier", "otep", "project", "-", "--format", "lines", given=json.dumps(timeline))
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout) == {"lines": ["2026-11-22 10:00 delivered"]}


def test_a_broken_extension_is_reported_and_skipped(tmp_path: Path) -> None:
    groups = of_the_example()
    groups["haulier.carriers"] |= {"gone": "haulier_example.gone:CONNECTOR", "odd": "haulier_example.sms:PROVIDER"}
    groups["haulier.timeline_formats"] |= {
        "Bad-Name": "haulier_example.timeline:FORMAT",
        "ebay": "haulier_example.timeline:FORMAT",
    }
    install(tmp_path, groups)
    done = run(tmp_path, "-c", USED)
    assert done.returncode == 0, done.stderr
    for named in ("gone", "odd", "Bad-Name"):
        assert f"{named} of haulier." in done.stderr
    said = json.loads(done.stdout)
    assert "PEDAL" in said["carriers"]
    assert [name for name in said["formats"] if name in {"lines", "Bad-Name"}] == ["lines"]
    started = run(tmp_path, "-c", "from haulier.extensions import load_extensions; load_extensions()")
    assert "gone of haulier.carriers" in started.stderr


def test_broken_extensions_of_each_kind_are_reported_at_startup_and_valid_ones_work(tmp_path: Path) -> None:
    groups = of_the_example()
    broken = {"missing": "haulier_example.gone:IT", "nameless": "haulier_example:IT", "foreign": "json:loads"}
    for sound in groups.values():
        sound |= {**broken, "Odd-Name": next(iter(sound.values()))}
    install(tmp_path, groups)
    started = run(tmp_path, "-c", STARTED)
    assert started.returncode == 0, started.stderr
    kinds = ("haulier.carriers", "haulier.timeline_formats", "haulier.label_formats", "haulier.sms_providers")
    named = [f"{name} of {kind}" for kind in kinds for name in (*broken, "Odd-Name")]
    assert [each for each in named if each not in started.stderr] == []
    used = run(tmp_path, "-c", USED)
    assert used.returncode == 0, used.stderr
    said = json.loads(used.stdout)
    assert "PEDAL" in said["carriers"]
    assert ("lines" in said["formats"], "csv" in said["labels"], said["provider"]) == (True, True, "pigeon")
    assert not {*broken, "Odd-Name"} & {*said["carriers"], *said["formats"], *said["labels"]}


def test_without_extensions_the_package_index_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: pytest.fail("it was asked"))
    clear_extensions()
    assert installed_extensions(CARRIERS, object) == {}


def test_a_provider_of_no_extension_is_unknown() -> None:
    with pytest.raises(KeyError):
        HttpSmsProviders().carrier("pigeon", "acc", "secret", "+14165550100")
