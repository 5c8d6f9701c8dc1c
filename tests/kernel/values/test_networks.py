"""Networks by which calls are counted."""

from tests.support.every_case import for_every

from haulier.kernel.values.networks import caller_network


@for_every(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        (None, "", True),
        ("testclient", "testclient", True),
    ],
)
def test_an_ipv6_network_of_64_bits_counts_as_one_caller(one: str | None, other: str | None, same: bool) -> None:
    assert (caller_network(one) == caller_network(other)) is same


def test_the_prefix_can_be_shorter() -> None:
    assert caller_network("2001:db8:1:2::1", 56) == caller_network("2001:db8:1:ff::1", 56)
