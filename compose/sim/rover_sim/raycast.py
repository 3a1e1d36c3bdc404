"""Ray casting for every range sensor."""

import mujoco
import numpy as np

from rover_sim.truth import LEAVE, monotonic_ns, thread_time_ns

# MuJoCo 3.3 and later take an array for normals before the ray count; None leaves it out.
_WITH_NORMALS = 'normal' in (mujoco.mj_multiRay.__doc__ or '')


class RayCaster:
    """Casts bundles of rays. One mjData must never be cast from two threads: the call uses its stack."""

    def __init__(self, model, data, mark):
        self._model = model
        self._data = data
        self._mark = mark

    def cast_many(self, origin, rotation, directions, ranges, geoms, exclude, cutoff, account):
        """Fill `ranges` (m; -1 without a hit) and `geoms` for unit `directions` (n x 3) turned by `rotation`."""
        mark = self._mark
        if mark is not None:
            entered = monotonic_ns()
            mark(account)
            mark(thread_time_ns())
            mark(entered)
        rays = directions.dot(rotation.T).ravel()
        if _WITH_NORMALS:
            mujoco.mj_multiRay(
                self._model, self._data, origin, rays, None, True, exclude, geoms, ranges, None, len(ranges), cutoff)
        else:
            mujoco.mj_multiRay(
                self._model, self._data, origin, rays, None, True, exclude, geoms, ranges, len(ranges), cutoff)
        if mark is not None:
            left_cpu = thread_time_ns()
            mark(monotonic_ns())
            mark(left_cpu)
            mark(LEAVE)
        return ranges


def fan(count, start, end):
    """`count` unit vectors in the plane, from angle `start` to `end` (radians)."""
    angles = np.linspace(start, end, count)
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1)
