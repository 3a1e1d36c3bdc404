"""A hook that computes in pure Python."""

import math


class WheelFilter:
    def __init__(self, rounds):
        self._rounds = rounds
        self._speeds = [0.1 * number for number in range(8)]

    @property
    def speeds(self):
        return self._speeds

    def _smooth(self, index, value):
        return 0.9 * self._speeds[index] + 0.1 * math.tanh(value)

    def post_step(self, step):
        for number in range(self._rounds):
            index = (step + number) % 8
            self._speeds[index] = self._smooth(index, self.speeds[index - 1])
