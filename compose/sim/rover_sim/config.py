"""The configuration of a run: defaults from the options, then the user's `--set PATH=VALUE`."""

import json
import math

from rover_sim.truth_layout import RAYCAST, RAYCAST_REAR
from rover_sim.world import MODEL


def build_config(load, timestep, world=None, bridge=True, camera=False, spin_executor=True, mark=None):
    """The nested dictionary that Engine takes."""
    effort = load.effort
    plugins = {
        'diff_drive': {'type': 'diff_drive', 'effort': (effort + 2) // 3, 'every': load.hook_every},
        'odometry': {'type': 'odometry', 'effort': (effort + 1) // 3, 'every': load.hook_every,
                     'publish_every': load.state_every},
        'imu': {'type': 'imu', 'effort': effort // 3, 'every': load.hook_every,
                'publish_every': load.state_every, 'lie_us': 0.0},
        'front_lidar': _range_sensor('lidar', 'front_lidar', load, facing=0.0, phase=0, account=RAYCAST),
        'rear_scanner': _range_sensor('coverage', 'rear_scanner', load, facing=math.pi, phase=load.scan_every // 2,
                                      account=RAYCAST_REAR),
    }
    if camera:
        every = max(1, int(round(0.1 / timestep)))
        plugins['camera'] = {'type': 'camera', 'width': 320, 'height': 240, 'camera': 'onboard', 'every': every,
                             'publish_every': every, 'mark': mark}
    if bridge:
        plugins['ros2_bridge'] = {'type': 'ros2_bridge', 'transforms': load.transforms, 'tf_every': load.tf_every,
                                  'spin': spin_executor}
    return {
        'sim': {'timestep': timestep, 'world': world or MODEL},
        'load': {'bodies': load.bodies, 'tracked': load.tracked},
        'plugins': plugins,
    }


def _range_sensor(kind, name, load, facing, phase, account):
    return {
        'type': kind, 'site': name, 'rays': load.rays, 'aperture': 1.5 * math.pi, 'facing': facing,
        'every': load.scan_every, 'phase': phase % load.scan_every, 'publish_every': load.scan_every,
        'account': account,
    }


def apply_setting(config, assignment):
    """Change one existing value, `plugins.front_lidar.rays=360`; raises ValueError saying what there is instead."""
    path, separator, text = assignment.partition('=')
    if separator == '':
        raise ValueError('--set %s: write PATH=VALUE' % assignment)
    keys = path.split('.')
    place = config
    for key in keys[:-1]:
        place = place.get(key) if isinstance(place, dict) else None
    if not isinstance(place, dict) or keys[-1] not in place:
        raise ValueError('--set %s: no such setting; there are %s' % (assignment, ', '.join(_paths(config))))
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    old = place[keys[-1]]
    number = isinstance(old, (int, float)) and not isinstance(old, bool)
    if number and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise ValueError('--set %s: a number is needed' % assignment)
    place[keys[-1]] = value


def _paths(config, prefix=''):
    for key, value in config.items():
        if isinstance(value, dict):
            for path in _paths(value, '%s%s.' % (prefix, key)):
                yield path
        elif key not in ('mark', 'account', 'type'):
            yield prefix + key
