"""The command line."""

import argparse

from rover_sim.load import parse_load


def parse_options(arguments):
    """The options of a run; argparse ends the program with code 2 and a message when they are wrong."""
    parser = argparse.ArgumentParser(prog='rover_sim', description='A small mobile robot on MuJoCo, made to be profiled.')
    parser.add_argument('target', nargs='*', metavar='TARGET', help='"rover" (default) or a MJCF file; may follow "sim"')
    run = parser.add_argument_group('run')
    run.add_argument('--headless', action='store_true', help='accepted; there is no window anyway')
    run.add_argument('--pacing', type=_pacing, default='realtime', help='realtime, asap, spin or a factor')
    run.add_argument('--spin', action='store_true', help='pace by watching the clock instead of sleeping')
    run.add_argument('--hz', type=_positive, default=500.0, help='steps per simulated second (500)')
    run.add_argument('--steps', type=_count, help='end after this many steps')
    run.add_argument('--seconds', type=_positive, help='end after this much simulated time')
    run.add_argument('--profile', action='store_true', help='print the load and the hook table to standard error')
    run.add_argument('--timers', action='store_true',
                     help='print steps, times and the timers of MuJoCo to standard error at the end')
    run.add_argument('--lie', nargs='?', const=300.0, type=_positive, metavar='US',
                     help='a hook sleeps that long in every step, outside what --profile says of it (300)')
    run.add_argument('--ros', action='store_true', help='accepted; the bridge is on unless --no-ros')
    run.add_argument('--no-ros', action='store_true', help='no bridge, no executor thread')
    run.add_argument('--set', action='append', default=[], metavar='PATH=VALUE', dest='settings')
    load = parser.add_argument_group('load')
    load.add_argument('--busy', type=_fraction, help='size the work so that this part of the period is busy')
    load.add_argument('--load', type=_load, metavar='NAME=N,...', help='size the work by hand, without calibration')
    load.add_argument('--render', action='store_true', help='render a camera off screen, 10 times a second')
    load.add_argument('--gil-hog', nargs='?', const=1.0, type=_fraction, metavar='SHARE',
                      help='a second Python thread that computes')
    load.add_argument('--switch-interval', type=_positive, metavar='SECONDS',
                      help='how long a Python thread keeps the interpreter lock that another wants (0.005)')
    load.add_argument('--cpu-hogs', type=int, default=0, metavar='N', help='child processes that burn a CPU each')
    truth = parser.add_argument_group('truth and life')
    truth.add_argument('--truth', metavar='FILE', help='the ring file')
    truth.add_argument('--truth-rows', type=_count, metavar='N', help='rows the ring holds')
    truth.add_argument('--truth-json', metavar='FILE', help='where SIGUSR1 and the end dump (default: RING.json)')
    truth.add_argument('--no-truth', action='store_true')
    truth.add_argument('--timer-slack-ns', type=int, default=1, metavar='NS',
                       help='how late the kernel may end a sleep; 0 keeps its own 50000 (1)')
    truth.add_argument('--ready-file', metavar='FILE', help='gets the pid once the loop steps')
    truth.add_argument('--die-with-parent', action='store_true')
    options = parser.parse_args(arguments)
    _check(parser, options)
    return options


def _check(parser, options):
    target = options.target[1:] if options.target[:1] == ['sim'] else options.target
    if len(target) > 1:
        parser.error('one TARGET at most, not %s' % ' '.join(target))
    options.target = target[0] if target else 'rover'
    if options.target != 'rover' and not options.target.endswith('.xml'):
        parser.error('TARGET %s: "rover" or a MJCF file whose name ends in .xml' % options.target)
    if options.pacing == 'spin':
        options.pacing, options.spin = 'realtime', True
    if options.no_truth and (options.truth or options.truth_json):
        parser.error('--no-truth goes with neither --truth nor --truth-json')
    if options.busy is not None and options.load is not None:
        parser.error('--busy sizes the work by itself: leave out --load')
    if options.busy is not None and options.pacing == 'asap':
        parser.error('--busy needs a paced loop: leave out --pacing asap')


def _pacing(text):
    if text in ('realtime', 'asap', 'spin'):
        return text
    return {'factor': _positive(text)}


def _positive(text):
    value = _number(text)
    if not 0.0 < value < float('inf'):
        raise argparse.ArgumentTypeError('%s is not above 0' % text)
    return value


def _fraction(text):
    value = _number(text)
    if not 0.0 < value <= 1.0:
        raise argparse.ArgumentTypeError('%s is not above 0 and at most 1' % text)
    return value


def _count(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError('%s is not a whole number above 0' % text)
    return int(text)


def _number(text):
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError('%s is not a number' % text)


def _load(text):
    try:
        return parse_load(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error))
