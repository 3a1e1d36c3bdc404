"""What a ring of 10,000 times keeps of 30,000 calls, of which the first was cold: Avg, Max, P99 as Pyrite's report has them, and of all."""

from collections import deque

import numpy

RING = 10_000
ALL = [0.5] + [0.002 + 0.001 * (call % 10) for call in range(29_800)] + [0.15] * 199


def told(name, times):
    ms = numpy.array(times) * 1000
    print(
        f"  {name}: Calls {len(ms)}, Avg {ms.mean():.3f}, Max {ms.max():.3f}, P99 {numpy.percentile(ms, 99):.3f}, "
        f"Total {ms.sum():.0f} ms; {(ms > 100).sum()} calls above 100 ms"
    )


told("all of them", ALL)
told("the ring   ", deque(ALL, maxlen=RING))
told("half of the slow ones less", deque(ALL[:-101], maxlen=RING))
