"""`haulier channel`: configuration of the MQTT broker next to this service."""

import os
import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

PLUGIN = "/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so"
"""Path of the plugin on Debian."""
group = typer.Typer(help="Configure the MQTT broker for chats.", no_args_is_help=True)


def register_commands(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(group, name="channel")


@group.callback()
def _group() -> None:
    """Configure the MQTT broker for chats."""


class BrokerKind(StrEnum):
    """Supported brokers."""

    NATS = "nats"
    MOSQUITTO = "mosquitto"


@group.command("config")
def print_config(
    host: Annotated[str, typer.Option(help="Address at which the broker listens.")] = "127.0.0.1",
    broker: Annotated[BrokerKind, typer.Option(help="Broker software.")] = BrokerKind.NATS,
    rights: Annotated[
        Path, typer.Option(help="File to create with the initial rights for Mosquitto's dynamic-security plugin.")
    ] = Path("haulier-channel-rights.json"),
    plugin: Annotated[str, typer.Option(help="Path of Mosquitto's dynamic-security plugin.")] = PLUGIN,
) -> None:
    """Print the broker's configuration and the matching settings of this service.

    NATS uses the key in the setting `channel_key`, or a new one. The password is new each time. For Mosquitto, also
    creates the file with the initial rights, unless it exists.
    """
    password = secrets.token_urlsafe(24)
    config = _nats(password, host) if broker is BrokerKind.NATS else _mosquitto(password, host, rights, plugin)
    typer.echo(config)


def _nats(password: str, host: str) -> str:
    from haulier.adapters.nats_channel import NatsAccountKey, make_account_seed, server_config
    from haulier.settings import load_settings

    seed = load_settings().channel_key or make_account_seed()
    return f"""{server_config(NatsAccountKey(seed), password, host=host)}
# Settings of this service:
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
        raise typer.BadParameter(f"{rights} already exists. Name another file or remove it.") from None
    with os.fdopen(handle, "w") as file:
        file.write(broker_rights(password, prefix))
    return f"""{broker_config(str(rights.resolve()), host=host, plugin=plugin)}
# Settings of this service:
# HAULIER_CHANNEL=mqtt://haulier:{password}@127.0.0.1:1883
# HAULIER_CHANNEL_ADDRESS=mqtt://{host}:1883,ws://{host}:8080
# HAULIER_CHANNEL_PREFIX={prefix}"""


@group.command("push-key")
def print_push_key() -> None:
    """Print a new key for browser push notifications, as a setting.

    Browsers must register again after a change of the key.
    """
    from haulier.adapters.phone_pushes import make_web_key

    typer.echo(f"HAULIER_PUSH_WEB_KEY={make_web_key()}")
