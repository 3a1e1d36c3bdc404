"""Listens to /clock for a while and tells what came, and when, as lines of JSON on standard output.

Run with `python3 -c`, beside a simulation, with its ROS settings in the environment. Arguments: seconds of the window, which begins
with the first message; seconds to wait for that; most messages; names of environment variables to tell, with commas. More may follow:
names of variables to take off, with commas, which a container has and the simulation has not; `held` where whoever started it holds
its standard input open, whose end is its own, since no signal may reach it in a container; and a name by which it is found.

    {"kind": "start", "via": "rclpy", "environment": {"ROS_DOMAIN_ID": "7"}}
    {"kind": "messages", "of": [[receive_ns, sim_ns], [receive_ns, sim_ns, publisher], ...]}
    {"kind": "end", "reason": "over", "ns": 20000000000, "publishers": ["/bridge"]}

Receive times count from the start of listening by CLOCK_MONOTONIC, simulated times from the first message. Why it ended: "over";
"silent": nothing came; "full": that many messages came; "stopped": by a signal; "no-ros": neither rclpy nor cyclonedds is there;
"failed": the middleware refused, with what it said.
"""
import sys

# `-c` puts the working folder first: there, a file of the user's may be called json.py.
if sys.path[:1] == ['']:
    del sys.path[0]

import gc
import json
import os
import select
import signal
import time

TOPIC = '/clock'
TELL_NS = 250 * 1000 * 1000
LOOK_S = 0.1
# A burst of an unpaced simulation, of which a best-effort reader loses what does not fit.
DEPTH = 1000
GOODBYE_S = 2
# To import, and to say goodbye: a middleware that hangs does not stay for good.
GRACE_S = 15


class Book:
    def __init__(self, window_s, patience_s, most, held=False):
        self.window_ns = int(window_s * 1e9)
        self.patience_ns = int(patience_s * 1e9)
        self.left = most
        self.held = held
        self.stopped = False
        self.first_ns = None
        self.first_sim = None
        self.rows = []
        self.began = time.monotonic_ns()
        self.told_ns = 0

    def now(self):
        return time.monotonic_ns() - self.began

    def note(self, sec, nanosec, publisher=None):
        now = self.now()
        sim = sec * 1000000000 + nanosec
        if self.first_ns is None:
            self.first_ns = now
            self.first_sim = sim
        if self.left > 0:
            self.left -= 1
            row = [now, sim - self.first_sim]
            self.rows.append(row if publisher is None else row + [publisher])

    def look_at_input(self):
        if self.held and select.select([0], [], [], 0)[0] and not os.read(0, 4096):
            self.held = False
            self.stopped = True

    def left_s(self):
        """Seconds to go on listening; 0 when it is over."""
        if self.stopped or self.left <= 0:
            return 0
        end = self.patience_ns if self.first_ns is None else self.first_ns + self.window_ns
        return max(0, (end - self.now()) / 1e9)

    def tell_rows(self, at_once=False):
        now = self.now()
        if self.rows and (at_once or now - self.told_ns >= TELL_NS):
            tell('messages', of=self.rows)
            self.rows = []
            self.told_ns = now

    def listen(self, wait):
        while True:
            self.look_at_input()
            left = self.left_s()
            if left <= 0:
                break
            wait(min(left, LOOK_S))
            self.tell_rows()

    def reason(self):
        if self.stopped:
            return 'stopped'
        if self.first_ns is None:
            return 'silent'
        return 'full' if self.left <= 0 else 'over'


def tell(kind, **fields):
    fields['kind'] = kind
    sys.stdout.write(json.dumps(fields, separators=(',', ':')) + '\n')
    sys.stdout.flush()


def on_signals(book):
    def stop(*_):
        book.stopped = True

    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, stop)


def by_rclpy(book, started):
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    from rosgraph_msgs.msg import Clock

    # Best effort: it hears reliable publishers too, and never makes one of them wait for us.
    try:
        from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

        qos = QoSProfile(
            history=HistoryPolicy.KEEP_LAST,
            depth=DEPTH,
            reliability=ReliabilityPolicy.BEST_EFFORT,
            durability=DurabilityPolicy.VOLATILE,
        )
    except ImportError:
        qos = 10
    # No log file in the home of a container's user.
    quiet = ['--ros-args', '--disable-external-lib-logs', '--disable-stdout-logs', '--disable-rosout-logs']
    rclpy.init(args=quiet)
    on_signals(book)
    name = 'profiler_clock_%d' % os.getpid()
    try:
        node = rclpy.create_node(name, enable_rosout=False, start_parameter_services=False)
    except TypeError:
        node = rclpy.create_node(name)
    node.create_subscription(Clock, TOPIC, lambda message: book.note(message.clock.sec, message.clock.nanosec), qos)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    started('rclpy')
    book.listen(lambda seconds: executor.spin_once(timeout_sec=seconds))
    try:
        found = node.get_publishers_info_by_topic(TOPIC)
        publishers = sorted('/'.join([one.node_namespace.rstrip('/'), one.node_name]) for one in found)
    except Exception:
        publishers = None

    def leave():
        node.destroy_node()
        rclpy.shutdown()

    return publishers, leave


def by_cyclonedds(book, started):
    from dataclasses import dataclass

    from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication
    from cyclonedds.core import InstanceState, Policy, Qos, ReadCondition, SampleState, ViewState, WaitSet
    from cyclonedds.domain import DomainParticipant
    from cyclonedds.idl import IdlStruct
    from cyclonedds.idl.types import int32, uint32
    from cyclonedds.sub import DataReader
    from cyclonedds.topic import Topic
    from cyclonedds.util import duration

    # Names and types as rmw_cyclonedds_cpp and rmw_fastrtps_cpp put them on the wire.
    @dataclass
    class Time(IdlStruct, typename='builtin_interfaces::msg::dds_::Time_'):
        sec: int32
        nanosec: uint32

    @dataclass
    class Clock(IdlStruct, typename='rosgraph_msgs::msg::dds_::Clock_'):
        clock: Time

    on_signals(book)
    participant = DomainParticipant(int(os.environ.get('ROS_DOMAIN_ID') or 0))
    topic = 'rt' + TOPIC
    qos = Qos(Policy.Reliability.BestEffort, Policy.Durability.Volatile, Policy.History.KeepLast(DEPTH))
    reader = DataReader(participant, Topic(participant, topic, Clock), qos=qos)
    some = ReadCondition(reader, SampleState.Any | ViewState.Any | InstanceState.Any)
    waiting = WaitSet(participant)
    waiting.attach(some)
    started('cyclonedds')

    def wait(seconds):
        waiting.wait(duration(nanoseconds=int(seconds * 1e9)))
        for sample in reader.take(N=DEPTH):
            if sample.sample_info.valid_data:
                book.note(sample.clock.sec, sample.clock.nanosec, str(sample.sample_info.publication_handle))

    book.listen(wait)
    known = BuiltinDataReader(participant, BuiltinTopicDcpsPublication).read(N=1000)
    # Its entities go, and say so, with the last reference to them.
    return sorted(str(one.key) for one in known if one.topic_name == topic), lambda: None


def say_goodbye(leave):
    """A participant that is just gone stays in the lists of others, and its shared memory for good. Some take seconds to go, and some crash."""
    signal.alarm(GOODBYE_S)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        leave()
    except Exception:
        pass


def main(arguments):
    window_s, patience_s, most, names = arguments[:4]
    without, ends = (arguments[4:] + ['', ''])[:2]
    for name in without.split(','):
        os.environ.pop(name, None)
    book = Book(float(window_s), float(patience_s), int(most), ends == 'held')
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(float(window_s) + float(patience_s)) + GRACE_S)
    heard = {name: os.environ[name] for name in names.split(',') if name in os.environ}

    def started(via):
        # Nothing of it is garbage, and a collection would make messages late.
        gc.disable()
        book.began = time.monotonic_ns()
        tell('start', via=via, environment=heard)

    missing = []
    for listen in (by_rclpy, by_cyclonedds):
        try:
            publishers, leave = listen(book, started)
        except ImportError as error:
            missing.append(str(error))
            continue
        except Exception as error:
            book.tell_rows(True)
            tell('end', reason='failed', ns=book.now(), said=str(error)[:1000])
            return
        book.tell_rows(True)
        tell('end', reason=book.reason(), ns=book.now(), publishers=publishers)
        say_goodbye(leave)
        return
    tell('end', reason='no-ros', ns=0, said='; '.join(missing)[:1000])


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        # Nobody listens any more.
        pass
    sys.stderr.flush()
    # Not by way of what middlewares do at exit.
    os._exit(0)
