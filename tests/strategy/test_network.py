"""The network in whole numbers says what it says in floating point."""

from __future__ import annotations

import random
from collections import Counter
from math import tanh

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.strategy.evaluation import INPUTS, shipped_model
from genial.strategy.network import LARGEST, Lanes, Network
from genial.strategy.policy import stirring

_SMALL = st.floats(-9, 9, allow_subnormal=False)


def in_floating_point(network: Network, inputs: list[float]) -> float:
    def sum_of(row: tuple[float, ...]) -> float:
        return sum(weight * x for weight, x in zip(row, inputs, strict=True))

    units = zip(network.hidden, network.biases, network.out, strict=True)
    said = sum(out * tanh(bias + sum_of(row)) for row, bias, out in units)
    return network.bias + sum_of(network.past) + said


@given(st.data(), st.integers(1, 5), st.integers(1, 8))
def test_any_network_says_the_same(data: st.DataObject, units: int, width: int) -> None:
    def numbers(count: int) -> tuple[float, ...]:
        return tuple(data.draw(st.lists(_SMALL, min_size=count, max_size=count)))

    hidden = tuple(numbers(width) for _ in range(units))
    network = Network(hidden, numbers(units), numbers(units), numbers(width), data.draw(_SMALL))
    inputs = list(numbers(width))
    said = Lanes(network).output(inputs)
    assert said == pytest.approx(in_floating_point(network, inputs), abs=0.01)


@pytest.mark.parametrize("key", ["free-2", "free-3", "free-4", "partners-4", "solo-1"])
def test_the_shipped_ones_say_the_same(key: str) -> None:
    network = shipped_model(key).network
    assert network is not None
    lanes = Lanes(network)
    rng = random.Random(key)
    for _ in range(200):
        inputs = [rng.uniform(-3, 3) for _ in range(INPUTS)]
        assert lanes.output(inputs) == pytest.approx(in_floating_point(network, inputs), abs=1e-3)


def test_sums_near_the_limit_stay_in_their_lanes() -> None:
    most = 0.99 * LARGEST
    for first, second in ((most, -most), (-most, most), (-most, -most), (most, most)):
        network = Network(((second,),), (0.0,), (1.0,), (first,), 0.0)
        assert Lanes(network).output([1.0]) == pytest.approx(first + (1 if second > 0 else -1))


def test_stirring_leaves_any_order_as_likely_as_any_other() -> None:
    """Of a bag in random order with tiles put on top, each tile is drawn next equally often."""
    rng = random.Random(7)
    drawn: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    stir = stirring(rng)
    rounds = 18_000
    for _ in range(rounds):
        bag = [0, 1, 2]
        rng.shuffle(bag)
        bag += [3, 4, 5, 6, 7, 8]
        stir(bag)
        assert sorted(bag) == list(range(9))
        drawn[bag[-1]] += 1
        pairs[bag[-1], bag[0]] += 1
    # Five standard deviations of a count that is 2,000, and of one that is 250.
    assert all(abs(drawn[tile] - rounds / 9) < 5 * 42.2 for tile in range(9))
    assert len(pairs) == 72
    assert all(abs(count - rounds / 72) < 5 * 15.8 for count in pairs.values())


def test_stirring_takes_a_bag_of_any_size() -> None:
    stir = stirring(random.Random(1))
    for size in range(9):
        bag = list(range(size))
        stir(bag)
        assert sorted(bag) == list(range(size))
