"""`haulier channel config`: what the broker of MQTT beside this service is to be told."""

import os
import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

PLUGIN = "/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so"
"""Where Debian has it."""
group = typer.Typer(help="The broker of MQTT that carries chats.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Put this file's commands on the command line."""
    app.add_typer(group, name="channel")


@group.callback()
def _group() -> None:
    """The broker of MQTT that carries chats."""


class BrokerKind(StrEnum):
    """Which server it is."""

    NATS = "nats"
    MOSQUITTO = "mosquitto"


@group.command("config")
def print_config(
    host: Annotated[str, typer.Option(help="The address at which the broker listens for programs.")] = "127.0.0.1",
    broker: Annotated[BrokerKind, typer.Option(help="Which server it is.")] = BrokerKind.NATS,
    rights: Annotated[
        Path, typer.Option(help="Where to write what Mosquitto's dynamic-security plugin knows at first.")
    ] = Path("haulier-channel-rights.json"),
    plugin: Annotated[str, typer.Option(help="Where Mosquitto's dynamic-security plugin is.")] = PLUGIN,
) -> None:
    """Print the configuration of the broker, and below it the settings of this service that go with it.

    The key of a NATS server is that of the setting `channel_key`, or a new one. The password is new each time. Mosquitto keeps
    who may come in in a file beside its configuration, which this writes, unless it is there already.
    """
    password = secrets.token_urlsafe(24)
    told = _nats(password, host) if broker is BrokerKind.NATS else _mosquitto(password, host, rights, plugin)
    typer.echo(told)


def _nats(password: str, host: str) -> str:
    from haulier.adapters.nats_channel import NatsAccountKey, make_account_seed, server_config
    from haulier.settings import load_settings

    seed = load_settings().channel_key or make_account_seed()
    return f"""{server_config(NatsAccountKey(seed), password, host=host)}
# The settings of the service:
# HAULIER_CHANNEL=nats://haulier:{password}@127.0.0.1:4222
# HAULIER_CHANNEL_KEY={seed}
# HAULIER_CHANNEL_ADDRESS=mqtt://{host}:1883,ws://{host}:8080/mqtt"""


def _mosquitto(password: str, host: str, rights: Path, plugin: str) -> str:
    from haulier.adapters.mosquitto_channel import broker_config, broker_rights
    from haulier.settings import load_settings

    prefix = load_settings().channel_prefix
    try:
        handle = os.open(rights, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise typer.BadParameter(f"{rights} is there already; name another file, or remove it") from None
    with os.fdopen(handle, "w") as file:
        file.write(broker_rights(password, prefix))
    return f"""{broker_config(str(rights.resolve()), host=host, plugin=plugin)}
# The settings of the service:
# HAULIER_CHANNEL=mqtt://haulier:{password}@127.0.0.1:1883
# HAULIER_CHANNEL_ADDRESS=mqtt://{host}:1883,ws://{host}:8080
# HAULIER_CHANNEL_PREFIX={prefix}"""


@group.command("push-key")
def print_push_key() -> None:
    """Print a new key for pushes to browsers, as a setting of this service. Browsers register anew when it changes."""
    from haulier.adapters.phone_pushes import make_web_key

    typer.echo(f"HAULIER_PUSH_WEB_KEY={make_web_key()}")
