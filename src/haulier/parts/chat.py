"""Messaging: pushes to phones and browsers."""

from haulier.adapters.phone_pushes import SimulatedPushes, phone_pushes_for
from haulier.contexts.chat.ports import PhonePusher
from haulier.parts import Adapters, Part, Shared


def _adapters(shared: Shared) -> Adapters:
    settings = shared.settings
    names = (settings.push_web_key, settings.push_contact, settings.push_fcm_account, settings.push_apns)
    return {PhonePusher: phone_pushes_for(*names, shared.sender)}


def _simulated(shared: Shared, adapters: Adapters) -> Adapters:
    return {PhonePusher: SimulatedPushes(adapters[PhonePusher])}


PART = Part(adapters=_adapters, simulated=_simulated, connected=(PhonePusher,))
