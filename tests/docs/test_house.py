"""The picture of the house shows the imports of the source."""

from docs import house


def above(rooms, name):
    """All rooms that a room is built on, directly or not."""
    found = set(rooms[name])
    for other in rooms[name]:
        found |= above(rooms, other)
    return found


def test_every_room_stands_above_those_that_it_is_built_on():
    rooms = house.built_on()
    level = house.floors(rooms)
    assert level["_arrays"] == 0
    assert all(level[name] > level[other] for name, others in rooms.items() for other in others)


def test_arrows_that_are_left_out_follow_from_the_others():
    rooms = house.built_on()
    direct = house.direct(rooms)
    assert sum(map(len, direct.values())) < sum(map(len, rooms.values()))
    assert all(above(direct, name) == above(rooms, name) for name in rooms)


def test_known_imports_are_found():
    rooms = house.built_on()
    assert {"smooth", "nonsmooth"} <= rooms["problems"]
    assert "solvers" not in rooms["problems"]


def test_no_two_rooms_are_drawn_at_one_place():
    places = house.places(house.built_on())
    assert len(set(places.values())) == len(places)
