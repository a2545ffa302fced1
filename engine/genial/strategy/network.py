"""The small network that judges where rollouts end, evaluated in whole numbers.

Judging takes thousands of sums of products a decision, and Python is slow at floating point and
fast at long integers. So the weights are rounded to fixed point and those of one input, for all
hidden units and the way past them, lie beside each other in the lanes of one long integer: a
multiplication by the input (rounded as well) does all of them, and a sum of 76 such products holds
every unit's sum in its lane. The figures agree with floating point to about six digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import tanh
from operator import mul
from struct import Struct
from typing import Final, NamedTuple

_LANE: Final = 64
_INPUT_UNIT: Final = 1 << 20
_WEIGHT_UNIT: Final = 1 << 24
_UNIT: Final = _INPUT_UNIT * _WEIGHT_UNIT

LARGEST: Final = (1 << (_LANE - 1)) / _UNIT
"""What the sum of a unit must stay below (half a million); more would spill into its neighbour."""


class Network(NamedTuple):
    """Input weights and bias of each hidden unit, what each counts, and the way past them.

    Attributes:
        hidden: For each unit a row of weights, one for each input.
        biases: One for each unit.
        out: What each unit counts.
        past: Weights of the inputs themselves.
        bias: Of the output.
    """

    hidden: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]
    out: tuple[float, ...]
    past: tuple[float, ...]
    bias: float


class Lanes:
    """A network ready for quick use."""

    __slots__ = ("_columns", "_flip", "_out", "_size", "_start", "_unpack")

    def __init__(self, network: Network) -> None:
        """Lay a network's weights into lanes: first the way past the units, then each unit."""
        rows = (network.past, *network.hidden)
        self._columns = tuple(
            sum(round(weight * _WEIGHT_UNIT) << _LANE * lane for lane, weight in enumerate(column))
            for column in zip(*rows, strict=True)
        )
        biases = (network.bias, *network.biases)
        self._start = sum(round(bias * _UNIT) << _LANE * lane for lane, bias in enumerate(biases))
        # A negative sum borrows from the lane above it. Half a lane added to each keeps all sums
        # positive; taking the same bit out again leaves each in two's complement.
        self._flip = sum(1 << _LANE * lane + _LANE - 1 for lane in range(len(rows)))
        self._start += self._flip
        self._size = len(rows) * _LANE // 8
        self._unpack = Struct(f"<{len(rows)}q").unpack
        self._out = network.out

    def output(self, inputs: Sequence[float]) -> float:
        """What the network says of inputs: features, far too small for a sum to reach `LARGEST`."""
        sums = sum(
            map(mul, self._columns, [int(x * _INPUT_UNIT) for x in inputs]), start=self._start
        )
        past, *units = self._unpack((sums ^ self._flip).to_bytes(self._size, "little"))
        said: float = past / _UNIT
        for unit, out in zip(units, self._out, strict=True):
            said += out * tanh(unit / _UNIT)
        return said
