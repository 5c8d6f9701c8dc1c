"""Prometheus metrics are served on an address of their own."""

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from haulier.metrics import KEPT_S, MetricsPage, MetricsServer, serve_metrics
from haulier.settings import InvalidSetting, Settings, default_metrics_port

SCRAPES = 8


class Numbers:
    """Something to render, which waits until it is let, and counts."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.times = 0

    def __call__(self) -> bytes:
        self.times += 1
        assert self.may_end.wait(60)
        return b"page %d" % self.times


def test_concurrent_scrapes_render_the_page_once() -> None:
    numbers = Numbers()
    page = MetricsPage(numbers, clock=lambda: 0.0)
    with ThreadPoolExecutor(SCRAPES) as crowd:
        asked = [crowd.submit(page.read) for _ in range(SCRAPES)]
        numbers.may_end.set()
        assert {each.result() for each in asked} == {b"page 1"}
    assert numbers.times == 1


def test_the_page_is_rendered_again_after_a_while() -> None:
    at, numbers = [0.0], Numbers()
    numbers.may_end.set()
    page = MetricsPage(numbers, clock=lambda: at[0])

    def read_at(moment: float) -> bytes:
        at[0] = moment
        return page.read()

    read = [read_at(moment) for moment in (0.0, KEPT_S / 2, KEPT_S, KEPT_S * 1.5)]
    assert read == [b"page 1", b"page 1", b"page 2", b"page 2"]


def test_metrics_have_their_own_address_and_no_other_pages() -> None:
    with serve_metrics(Settings(port=0)) as server:
        assert isinstance(server, MetricsServer)
        host, port = server.server_address[:2]
        answer = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=60)
        assert (host, answer.status_code) == ("127.0.0.1", 200)
        assert answer.headers["content-type"].startswith("text/plain; version=")
        assert httpx.get(f"http://127.0.0.1:{port}/", timeout=60).status_code == 404


def test_metrics_are_local_by_default() -> None:
    assert Settings().metrics_address == "127.0.0.1:9464"
    assert Settings(port=8001, host="0.0.0.0").metrics_address == "127.0.0.1:9465"
    assert [default_metrics_port(port) for port in (0, 64071, 64072)] == [0, 65535, 62608]


def test_metrics_can_be_disabled() -> None:
    with serve_metrics(Settings(metrics_address="off")) as server:
        assert server is None


def test_an_occupied_metrics_address_prevents_startup() -> None:
    with serve_metrics(Settings(port=0)) as first:
        assert first
        taken = first.server_address[1]
        with pytest.raises(InvalidSetting, match="metrics_address"), serve_metrics(_at(taken)):
            pass


def _at(port: int) -> Settings:
    return Settings(metrics_address=f"127.0.0.1:{port}")
