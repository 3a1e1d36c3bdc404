"""A MuJoCo Warp loop on the CPU: worlds of falling bodies, rays and read-backs. Runs until it is killed."""

import mujoco
import mujoco_warp as mjw
import numpy
import warp as wp

BALLS = "".join(
    f'<body pos="{i % 3 * 0.3} {i // 3 * 0.3} {1 + 0.2 * i}"><freejoint/><geom type="sphere" size="0.1"/></body>'
    for i in range(6)
)
XML = f'<mujoco><worldbody><geom type="plane" size="5 5 0.1"/>{BALLS}</worldbody></mujoco>'
WORLDS = 16


def observe(data):
    return data.qpos.numpy()


def scan(model, data, origins, rays):
    return mjw.ray(model, data, origins, rays)


def main():
    wp.init()
    spec = mujoco.MjModel.from_xml_string(XML)
    with wp.ScopedDevice("cpu"):
        model = mjw.put_model(spec)
        data = mjw.put_data(spec, mujoco.MjData(spec), nworld=WORLDS, nconmax=64, njmax=256)
        origins = wp.array(numpy.tile([[0.0, 0.0, 2.0]], (WORLDS, 1, 1)), dtype=wp.vec3)
        rays = wp.array(numpy.tile([[0.6, 0.0, -0.8]], (WORLDS, 1, 1)), dtype=wp.vec3)
        mjw.step(model, data)
        wp.synchronize()
        print("ready", flush=True)
        steps = 0
        while True:
            mjw.step(model, data)
            if steps % 4 == 0:
                scan(model, data, origins, rays)
            if steps % 10 == 0:
                wp.synchronize()
                observe(data)
            steps += 1


main()
