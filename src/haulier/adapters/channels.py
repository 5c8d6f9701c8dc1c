"""Selection of the MQTT broker from the settings."""

from haulier.adapters.mosquitto_channel import PORTS, MosquittoChannel
from haulier.adapters.nats_channel import NatsAccountKey, NatsChannel
from haulier.contexts.messaging.ports import Channel, NoChannel
from haulier.settings import InvalidSetting


def channel_for(addresses: str | None, key: str | None, shown: str | None, prefix: str) -> Channel:
    """Return the configured broker.

    Raises `InvalidSetting` if the settings are incomplete or the extra is not installed.
    """
    if addresses is None:
        return NoChannel()
    mosquitto = addresses.partition("://")[0] in PORTS
    if shown is None or (key is None and not mosquitto):
        raise InvalidSetting("setting 'channel' also needs 'channel_address', and with NATS 'channel_key'")
    try:
        if mosquitto:
            import aiomqtt as aiomqtt
        else:
            import nats as nats
    except ImportError:
        raise InvalidSetting("setting 'channel' needs the extra: pip install 'haulier[streams]'") from None
    programs = tuple(shown.split(","))
    if mosquitto or key is None:
        return MosquittoChannel(addresses, programs, prefix)
    return NatsChannel(addresses.split(","), NatsAccountKey(key), programs, prefix)
