"""A PyBullet loop: arms on a plane, a lidar, a camera, paced to real time. Runs until it is killed."""

import time

import pybullet
import pybullet_data

DT = 1.0 / 240.0
RAYS_FROM = [[0, 0, 0.5]] * 360
RAYS_TO = [[5 * (i % 19 - 9) / 9, 5 * (i % 23 - 11) / 11, 0.1] for i in range(360)]


def build():
    pybullet.connect(pybullet.DIRECT)
    pybullet.setAdditionalSearchPath(pybullet_data.getDataPath())
    pybullet.setGravity(0, 0, -9.81)
    pybullet.loadURDF("plane.urdf")
    return [pybullet.loadURDF("kuka_iiwa/model.urdf", [i % 4, i // 4, 0], useFixedBase=True) for i in range(8)]


def control(robots, t):
    for robot in robots:
        for joint in range(7):
            angle, _, _, _ = pybullet.getJointState(robot, joint)
            pybullet.setJointMotorControl2(robot, joint, pybullet.POSITION_CONTROL, targetPosition=angle + 0.01 * t % 0.1)


def scan():
    return pybullet.rayTestBatch(RAYS_FROM, RAYS_TO)


def picture():
    return pybullet.getCameraImage(160, 120, renderer=pybullet.ER_TINY_RENDERER)


def main():
    robots = build()
    steps = 0
    while True:
        start = time.perf_counter()
        control(robots, steps * DT)
        pybullet.stepSimulation()
        if steps % 12 == 0:
            scan()
        if steps % 24 == 0:
            picture()
        steps += 1
        remaining = DT - (time.perf_counter() - start)
        if remaining > 0:
            time.sleep(remaining)


main()
