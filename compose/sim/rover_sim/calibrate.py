"""Sizes the work of a step so that a wanted part of the period is busy.

Short paced runs with the truth on; after each, every knob moves by the ratio of the time its bucket should take to the
time it took. Thread-CPU time counts, so that other programs on the machine matter less.
"""

from rover_sim.load import Load, least_load
from rover_sim.truth_layout import ACCOUNTS, BUCKET_ACCOUNTS, BUCKETS

# How the busy time is to be split; ray casts, hooks and messages weigh in a robot with two lidars.
SPLIT = {'physics': 0.30, 'raycast': 0.20, 'publishing': 0.20, 'plugin': 0.20, 'python': 0.10}
# First guess, ns of thread-CPU per unit of the knob and step; the rounds after it measure.
_GUESS = {'bodies': 15000.0, 'rays': 150.0, 'transforms': 5000.0, 'effort': 9000.0, 'tracked': 600.0}
_KNOB = {'physics': 'bodies', 'raycast': 'rays', 'publishing': 'transforms', 'plugin': 'effort', 'python': 'tracked'}
_LIMIT = {'bodies': 600, 'rays': 6000, 'transforms': 2000, 'effort': 5000, 'tracked': 50000}
ROUNDS = 4
# No machine is that much faster than the guess: a disturbed round must not make a step that takes a second.
_FASTEST = 4.0


def calibrate(busy, period_ns, measure, report):
    """The Load for `busy` (0 to 1) of `period_ns`. `measure(load)` gives ns of thread-CPU per step and bucket."""
    budget = busy * period_ns
    least = least_load(busy, period_ns)
    floor = measure(least)
    targets = share_out(budget, floor)
    costs = dict(_GUESS)
    tried = []
    for number in range(ROUNDS):
        load = Load(**dict(least._asdict(), **_knobs(least, targets, floor, costs)))
        measured = measure(load)
        total = sum(measured[bucket] for bucket in SPLIT)
        tried.append((abs(total - budget), number, total, measured, load))
        for bucket, knob in _KNOB.items():
            units = getattr(load, knob) - getattr(least, knob)
            if units > 0:
                cost = (measured[bucket] - floor[bucket]) / units
                costs[knob] = max(_GUESS[knob] / _FASTEST, cost)
    # The load that was measured to fit best, not one that the last round would lead to.
    _, _, total, measured, load = min(tried)
    report('calibration: wanted %.1f %% of %.0f us: %.0f us; got %.0f us: %s' % (
        busy * 100, period_ns / 1e3, budget / 1e3, total / 1e3,
        ', '.join('%s %.0f' % (bucket, measured[bucket] / 1e3) for bucket in SPLIT)))
    return load


def share_out(budget, floor):
    """Targets in ns per bucket: SPLIT of the budget, where what cannot be had for its part takes from the others."""
    targets = {}
    open_buckets = dict(SPLIT)
    while True:
        rest = budget - sum(targets.values())
        weight = sum(open_buckets.values())
        too_dear = [bucket for bucket, part in open_buckets.items() if rest * part / weight < floor[bucket]]
        if not too_dear:
            break
        for bucket in too_dear:
            targets[bucket] = floor[bucket]
            del open_buckets[bucket]
        if not open_buckets:
            return targets
    for bucket, part in open_buckets.items():
        targets[bucket] = rest * part / weight
    return targets


def _knobs(least, targets, floor, costs):
    knobs = {}
    for bucket, knob in _KNOB.items():
        units = max(0.0, targets[bucket] - floor[bucket]) / costs[knob]
        knobs[knob] = min(_LIMIT[knob], getattr(least, knob) + int(round(units)))
    return knobs


def cpu_per_step(row):
    """ns of thread-CPU per step and bucket, from the newest row of a run."""
    return {bucket: sum(row['cpu_ns_' + ACCOUNTS[a]] for a in BUCKET_ACCOUNTS[bucket]) / float(row['step'])
            for bucket in BUCKETS}
