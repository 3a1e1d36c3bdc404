"""Publishes /clock on the wire as a ROS 2 middleware does: rosgraph_msgs/Clock on the DDS topic rt/clock, reliable, keep-last 10.

    clock_publisher.py HZ SPEED [STALL EVERY]

Simulated time is SPEED times the seconds of CLOCK_MONOTONIC since the start, so that its real-time factor is exact at every moment; it
stands still for the last STALL of EVERY so many seconds, and then nothing is published. Prints `ready` with the first message and a line for each second, and runs until it is ended.
"""
import os
import sys
import time
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import int32, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.topic import Topic
from cyclonedds.util import duration


@dataclass
class Time(IdlStruct, typename='builtin_interfaces::msg::dds_::Time_'):
    sec: int32
    nanosec: uint32


@dataclass
class Clock(IdlStruct, typename='rosgraph_msgs::msg::dds_::Clock_'):
    clock: Time


def main(hz, speed, stall=0.0, every=1.0):
    # The domain of its own settings, as a ROS node.
    participant = DomainParticipant(int(os.environ['ROS_DOMAIN_ID']))
    qos = Qos(Policy.Reliability.Reliable(duration(milliseconds=100)), Policy.History.KeepLast(10))
    writer = DataWriter(participant, Topic(participant, 'rt/clock', Clock), qos=qos)
    began = time.monotonic_ns()
    count = 0
    while True:
        at = (time.monotonic_ns() - began) / 1e9
        whole, part = divmod(at, every)
        stalled = whole * stall + max(0.0, part - (every - stall))
        if part <= every - stall:
            sim = int((at - stalled) * speed * 1e9)
            writer.write(Clock(Time(sim // 10**9, sim % 10**9)))
        if count == 0:
            print('ready', flush=True)
        elif count % hz == 0:
            print('%d s' % (count // hz), flush=True)
        count += 1
        time.sleep(max(0, count / hz - (time.monotonic_ns() - began) / 1e9))


if __name__ == '__main__':
    main(*map(float, sys.argv[1:]))
