"""The same loop as rover_sim without MuJoCo or numpy: standard library only, Python 3.6 and newer."""
