"""A Newton loop on the CPU: boxes on a plane, collision and one solver, a null viewer. Runs until it is killed."""

import sys

import newton
import newton.viewer
import warp as wp

FPS = 60
SUBSTEPS = 4


def build():
    builder = newton.ModelBuilder()
    for i in range(12):
        body = builder.add_body(xform=wp.transform(wp.vec3(0.3 * (i % 3), 0.3 * (i // 3), 1.0 + 0.3 * i), wp.quat_identity()))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.add_ground_plane()
    return builder.finalize()


def main():
    with wp.ScopedDevice("cpu"):
        model = build()
        kind = newton.solvers.SolverMuJoCo if "--mujoco" in sys.argv else newton.solvers.SolverXPBD
        solver = kind(model)
        state, other = model.state(), model.state()
        control = model.control()
        viewer = newton.viewer.ViewerNull(num_frames=10**9)
        viewer.set_model(model)
        sensor_time = 0.0
        while viewer.is_running():
            if viewer.frame_count == 3:
                print("ready", flush=True)
            for _ in range(SUBSTEPS):
                state.clear_forces()
                contacts = model.collide(state)
                solver.step(state, other, control, contacts, 1 / FPS / SUBSTEPS)
                state, other = other, state
            sensor_time += 1 / FPS
            viewer.begin_frame(sensor_time)
            viewer.log_state(state)
            viewer.end_frame()
            wp.synchronize()
            state.body_q.numpy()


main()
