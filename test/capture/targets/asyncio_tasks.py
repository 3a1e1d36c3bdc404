"""An asyncio program for the sampler: awaits in awaits, async generators, async with and for, gather, tasks with and without names.

Every function of its own ends in `spin`, so that each stack that ends there is known. Run with `python-tasks` it uses the tasks that are
written in Python. Ends when its standard input is closed. Prints `ready` when it runs.
"""

import asyncio
import sys
import threading
import time

ended = threading.Event()


def spin():
    end = time.perf_counter() + 0.002
    while time.perf_counter() < end:
        pass


async def inner():
    spin()
    await asyncio.sleep(0)
    spin()


async def middle():
    await inner()


async def nested():
    while not ended.is_set():
        await middle()


async def numbers():
    for number in range(2):
        spin()
        yield number
        await asyncio.sleep(0)


async def generator():
    while not ended.is_set():
        async for _ in numbers():
            await asyncio.sleep(0)


class Lock:
    async def __aenter__(self):
        spin()
        await asyncio.sleep(0)

    async def __aexit__(self, *_):
        await inner()


class Numbers:
    def __init__(self):
        self.left = 2

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.left == 0:
            raise StopAsyncIteration
        self.left -= 1
        spin()
        await asyncio.sleep(0)
        return self.left


async def with_and_for():
    while not ended.is_set():
        async with Lock():
            async for _ in Numbers():
                pass


async def gathered():
    await inner()


async def gathering():
    while not ended.is_set():
        await asyncio.gather(gathered(), gathered())


async def waker(future):
    await asyncio.sleep(0)
    future.set_result(None)


async def woken():
    """Goes on by the wake-up of a future, not by a first step."""
    while not ended.is_set():
        future = asyncio.get_running_loop().create_future()
        waking = asyncio.ensure_future(waker(future))
        await future
        spin()
        await waking


def callback(loop):
    """No task at all."""
    spin()
    if not ended.is_set():
        loop.call_later(0.001, callback, loop)


async def main():
    loop = asyncio.get_running_loop()

    tasks = [
        loop.create_task(nested(), name="sensor loop"),
        loop.create_task(generator(), name="generators"),
        loop.create_task(with_and_for(), name="with and for"),
        loop.create_task(gathering()),
        loop.create_task(woken(), name="woken"),
    ]
    loop.call_soon(callback, loop)
    print("ready", flush=True)
    await asyncio.gather(*tasks)


def wait_for_end():
    sys.stdin.read()
    ended.set()


if "python-tasks" in sys.argv:
    asyncio.tasks.Task = asyncio.Task = asyncio.tasks._PyTask
threading.Thread(target=wait_for_end, daemon=True).start()
asyncio.run(main())
