"""The knobs that make a step heavier, one for each part of the work."""

from collections import namedtuple

# bodies: loose bodies in the world (physics). rays: per lidar and scan (raycast). transforms: published poses of other
# objects (publishing). effort: inner rounds of the hooks (plugin). tracked: entries of the snapshot (python).
# The rest are steps between two scans of one lidar, two transform messages, two rounds of the other hooks, and two
# messages of IMU and odometry.
Load = namedtuple('Load', 'bodies rays transforms effort tracked scan_every tf_every hook_every state_every')

# A robot as it comes, for unpaced runs: at 500 Hz about 40 scans per lidar and 50 transform messages a second.
PLAIN = Load(bodies=2, rays=360, transforms=4, effort=1, tracked=4,
             scan_every=12, tf_every=10, hook_every=1, state_every=5)


def least_load(busy, period_ns):
    """The least that keeps every part alive, for a calibration; what little time there is goes to fewer occasions."""
    budget = busy * period_ns
    if budget < 300000.0:
        every = dict(scan_every=10, tf_every=10, hook_every=5, state_every=20)
    elif budget < 1000000.0:
        # One scan must not fill the rest of its step.
        every = dict(scan_every=4 if busy < 0.6 else 2, tf_every=4, hook_every=2, state_every=10)
    else:
        every = dict(scan_every=2, tf_every=2, hook_every=1, state_every=5)
    return Load(bodies=0, rays=4, transforms=0, effort=0, tracked=0, **every)


def parse_load(text):
    """`bodies=4,rays=100` over PLAIN; raises ValueError naming the bad entry."""
    values = {}
    for entry in text.split(','):
        name, _, number = entry.partition('=')
        if name not in Load._fields or not number.isdigit():
            raise ValueError('%r: entries are NAME=NUMBER with NAME one of %s' % (entry, ', '.join(Load._fields)))
        values[name] = int(number)
    load = PLAIN._replace(**values)
    if min(load.rays, load.scan_every, load.tf_every, load.hook_every, load.state_every) < 1:
        raise ValueError('rays and everything that ends in _every are at least 1')
    return load


def format_load(load):
    return ','.join('%s=%d' % pair for pair in zip(load._fields, load))
