"""A small mobile robot with two lidars on MuJoCo, written to be profiled; it keeps its own exact accounts."""
