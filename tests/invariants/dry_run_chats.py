"""Steps of the dry-run day about the chat of an order."""

from collections.abc import Iterator
from typing import Any

from tests.contexts.chat.examples import BROWSER, SENTENCE
from tests.invariants.dry_run_steps import PHOTO, Step, step


def chat_steps() -> Iterator[Step]:
    """Yield steps in which staff and recipient chat about the awaited order.

    A message is reported and hidden.
    """
    named: dict[str, Any] = {"order_id": "$awaited"}
    yield step("admin", "set_chat_settings", grace_hours=48, quick_replies=[SENTENCE])
    yield step("admin", "send_chat_message", **named, text="Which door is it?")
    yield step("admin", "send_chat_photo", **named, **PHOTO)
    yield step("admin", "mute_order_chat", **named, until="2026-06-10T20:00:00-04:00")
    yield step("admin", "open_chat_channel", **named)
    mine: dict[str, Any] = {"access": "$access"}
    said = {"chat message": "message.id"}
    yield step("driver", "send_delivery_chat_message", said, **mine, text="The blue one.")
    yield step("driver", "send_delivery_chat_photo", **mine, **PHOTO)
    yield step("admin", "mark_chat_read", **named, read_up_to="$chat message")
    yield step("driver", "mark_delivery_chat_read", **mine, read_up_to=1)
    yield step("driver", "report_delivery_chat_message", **mine, message_id="$chat message", reason="other")
    yield step("driver", "open_delivery_chat_channel", **mine)
    kept = {"push device": "device.id"}
    yield step("driver", "register_delivery_push_device", kept, **mine, **BROWSER)
    yield step("driver", "remove_delivery_push_device", **mine, device_id="$push device")
    yield step("admin", "register_push_device", kept, **BROWSER)
    yield step("admin", "remove_push_device", device_id="$push device")
    yield step("admin", "report_chat_message", **named, message_id="$chat message", reason="privacy")
    yield step("admin", "resolve_chat_report", report_id="$chat report", hide=True, block=True)
    yield step("admin", "block_chat_role", **named, role="recipient", blocked=False)
