"""`python -m rover_sim`."""

import sys

from rover_sim.runner import main

if __name__ == '__main__':
    sys.exit(main())
