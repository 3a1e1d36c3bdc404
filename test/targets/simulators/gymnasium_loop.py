"""A training loop over a MuJoCo environment of Gymnasium with random actions. Runs until it is killed."""

import sys

import gymnasium


def main():
    render = "--render" in sys.argv
    env = gymnasium.make("Ant-v5", render_mode="rgb_array" if render else None, width=160, height=120)
    env.action_space.seed(1)
    env.reset(seed=1)
    steps = 0
    while True:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if render and steps % 20 == 0:
            env.render()
        if terminated or truncated:
            env.reset()
        steps += 1


main()
