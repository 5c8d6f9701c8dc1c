"""Pictures of packed boxes are painted back to front."""

from itertools import combinations
from xml.etree import ElementTree

from haulier.rendering.packing_pictures import (
    DrawnPiece,
    PackedPicture,
    draw_isometric,
    draw_layers,
    painters_order,
)

BOXES = (
    DrawnPiece(1, "near <&>", "a", (100, 100, 0), (200, 200, 100)),
    DrawnPiece(2, "far", "a", (0, 0, 0), (100, 100, 100)),
    DrawnPiece(3, "on top", "b", (0, 0, 100), (200, 100, 150)),
    DrawnPiece(4, "beside", "b", (0, 100, 0), (100, 200, 150)),
)


def test_hidden_items_are_painted_before_those_in_front() -> None:
    order = [box.step for box in painters_order(BOXES)]
    hidden_by = {(2, 1), (2, 3), (2, 4), (3, 1), (4, 1)} - {(3, 1)}
    assert sorted(order) == [1, 2, 3, 4]
    assert [pair for pair in hidden_by if order.index(pair[0]) > order.index(pair[1])] == []
    grid = [
        DrawnPiece(n, str(n), "a", (x, y, z), (x + 1, y + 1, z + 1))
        for n, (x, y, z) in enumerate((x, y, z) for x in range(3) for y in range(3) for z in range(3))
    ]
    place = {box.step: at for at, box in enumerate(painters_order(grid[::-1]))}
    for one, other in combinations(grid, 2):
        if all(a <= b for a, b in zip(one.low, other.low, strict=True)):
            # On the diagonal of the picture, one covers the other.
            same_spot = len({b - a for a, b in zip(one.low, other.low, strict=True)}) == 1
            assert not same_spot or place[one.step] < place[other.step]


def test_both_views_show_every_item_with_its_step_and_name() -> None:
    picture = PackedPicture("1: M", (200, 200, 150), BOXES)
    for drawn, pieces in ((draw_isometric(picture), 4), (draw_layers(picture), 4)):
        root = ElementTree.fromstring(drawn)
        titles = [each.text for each in root.iter("{http://www.w3.org/2000/svg}title")]
        assert titles[0] == "1: M"
        assert len(titles) == pieces + 1
        assert "1. near <&>" in titles
    assert draw_layers(picture).count("z = ") == 2
