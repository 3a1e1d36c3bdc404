"""Off-screen rendering through whichever OpenGL this machine has."""

import ctypes.util
import importlib
import os

from rover_sim.truth import LEAVE, RENDER, monotonic_ns, thread_time_ns


class NoRendering(Exception):
    """Off-screen rendering is not to be had; the text says why and what to install."""


def prepare_rendering():
    """Set MUJOCO_GL unless the user has, and import mujoco, which loads that OpenGL. Raises NoRendering."""
    if not os.environ.get('MUJOCO_GL'):
        for backend, library in (('osmesa', 'OSMesa'), ('egl', 'EGL')):
            if ctypes.util.find_library(library) is not None:
                os.environ['MUJOCO_GL'] = backend
                break
        else:
            raise NoRendering('--render needs OSMesa or EGL, and neither libOSMesa nor libEGL is installed; '
                              'install one (apt-get install libosmesa6) or leave --render out')
    try:
        importlib.import_module('mujoco')
    except Exception as error:  # every backend raises types of its own
        raise _unusable(error)


def _unusable(error):
    return NoRendering('--render: no OpenGL with MUJOCO_GL=%s (%s: %s); install libosmesa6 or libegl1, '
                       'try the other of osmesa and egl, or leave --render out'
                       % (os.environ.get('MUJOCO_GL'), type(error).__name__, error))


class OffscreenCamera:
    """Raises NoRendering when the OpenGL context cannot be made."""

    def __init__(self, model, width, height, mark):
        self._mark = mark
        import mujoco
        try:
            self._renderer = mujoco.Renderer(model, height, width)
        except Exception as error:  # see above
            raise _unusable(error)

    def capture(self, data, camera):
        mark = self._mark
        if mark is not None:
            mark(RENDER)
            mark(thread_time_ns())
            mark(monotonic_ns())
        self._renderer.update_scene(data, camera=camera)
        pixels = self._renderer.render()
        if mark is not None:
            mark(monotonic_ns())
            mark(thread_time_ns())
            mark(LEAVE)
        return pixels

    def close(self):
        self._renderer.close()
