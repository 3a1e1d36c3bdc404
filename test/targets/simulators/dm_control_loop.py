"""A dm_control loop: one task of the suite with random actions. Runs until it is killed."""

import numpy
from dm_control import suite


def main():
    env = suite.load("humanoid", "walk")
    spec = env.action_spec()
    random = numpy.random.RandomState(1)
    step = env.reset()
    while True:
        action = random.uniform(spec.minimum, spec.maximum)
        step = env.reset() if step.last() else env.step(action)


main()
