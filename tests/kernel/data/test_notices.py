"""Payloads of notices."""

from haulier.kernel.data.notices import EVERYTHING, MAX_PAYLOAD_BYTES, MAX_PAYLOADS, Hearers, notice_payloads


def test_payloads_name_every_subject_once_and_are_packed_to_postgresqls_limit() -> None:
    subjects = [f"7:PARCEL-{number}-é" for number in range(1000)]
    payloads = notice_payloads(subjects)
    assert " ".join(payloads).split(" ") == subjects
    size = len(" ".join(subjects).encode())
    assert len(payloads) == -(-size // MAX_PAYLOAD_BYTES)
    assert max(len(payload.encode()) for payload in payloads) <= MAX_PAYLOAD_BYTES


def test_oversized_notifications_are_sent_to_all() -> None:
    too_many = [f"{number:04000}" for number in range(2 * MAX_PAYLOADS)]
    for subjects in ([], ["a", EVERYTHING], ["x" * (MAX_PAYLOAD_BYTES + 1)], too_many):
        assert notice_payloads(subjects) == [EVERYTHING]
    assert notice_payloads(["x" * MAX_PAYLOAD_BYTES]) == ["x" * MAX_PAYLOAD_BYTES]


def test_a_notification_reaches_only_subscribers_of_its_subjects() -> None:
    hearers, heard = Hearers(), []
    ends = [hearers.add("board", lambda _, n=number: heard.append(n), f"{number}:today") for number in range(1000)]
    hearers.tell("board", "7:today 9:today")
    assert heard == [7, 9]
    ends[7]()
    hearers.tell("board", "7:today")
    hearers.tell("other", EVERYTHING)
    assert heard == [7, 9]
