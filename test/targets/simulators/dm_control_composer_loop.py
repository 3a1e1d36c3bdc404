"""A dm_control composer loop: a locomotion task. Runs until it is killed."""

import numpy
from dm_control import composer
from dm_control.locomotion.arenas import floors
from dm_control.locomotion.tasks import go_to_target
from dm_control.locomotion.walkers import cmu_humanoid


def main():
    walker = cmu_humanoid.CMUHumanoid(observable_options={"egocentric_camera": {"enabled": False}})
    task = go_to_target.GoToTarget(walker=walker, arena=floors.Floor(), physics_timestep=0.005, control_timestep=0.03)
    env = composer.Environment(task=task, time_limit=30, random_state=numpy.random.RandomState(1))
    spec = env.action_spec()
    random = numpy.random.RandomState(2)
    step = env.reset()
    while True:
        step = env.reset() if step.last() else env.step(random.uniform(spec.minimum, spec.maximum))


main()
