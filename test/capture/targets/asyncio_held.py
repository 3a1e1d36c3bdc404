"""Event loops for the sampler, each in a thread of its own that stands still in a task, or in what is none, until standard input is closed.

The thread is called after what it shows. Prints `ready` when all stand.
"""

import asyncio
import sys
import threading

held = threading.Lock()
held.acquire()
standing = threading.Semaphore(0)


def hold():
    standing.release()
    held.acquire()
    held.release()


async def inner():
    hold()


async def outer():
    await inner()


async def named(name):
    await asyncio.get_running_loop().create_task(outer(), name=name)


class OwnTask(asyncio.Task):
    pass


def with_factory(make):
    async def main():
        loop = asyncio.get_running_loop()
        # Some versions set the name afterwards.
        loop.set_task_factory(lambda loop, coroutine, **options: make(coroutine, loop=loop, **options))
        await named("held-0000")

    return main()


async def woken():
    async def waiting():
        await future
        await outer()

    loop = asyncio.get_running_loop()
    future = loop.create_future()
    task = loop.create_task(waiting(), name="held-0000")
    await asyncio.sleep(0)
    future.set_result(None)
    await task


async def callback():
    asyncio.get_running_loop().call_soon(hold)
    await asyncio.sleep(0)


async def sent():
    """What is no task calls a coroutine."""
    coroutine = outer()

    def send():
        try:
            coroutine.send(None)
        except StopIteration:
            pass

    asyncio.get_running_loop().call_soon(send)
    await asyncio.sleep(0)


async def eager():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    asyncio.current_task().set_name("held-0000")
    await asyncio.get_running_loop().create_task(outer(), name="eager")


async def asked():
    """Somebody asked for the name that asyncio gave: it is text from then on."""
    asyncio.current_task().get_name()
    await outer()


mains = {
    "named": named("held-0000"),
    "default": named(None),
    "asked": asked(),
    "own-class": with_factory(OwnTask),
    "python": with_factory(asyncio.tasks._PyTask),
    "woken": woken(),
    "callback": callback(),
    "sent": sent(),
    "hostile": named('a "b"; c (engine.py:3)\n\x1b[31m\u20ac\U0001f600'),
    "long": named("\U0001f600" * 300),
    "gc": named("GC>"),
}
if hasattr(asyncio, "eager_task_factory"):
    mains["eager"] = eager()
for name, main in mains.items():
    threading.Thread(target=asyncio.run, args=(main,), name=name, daemon=True).start()
for _ in mains:
    standing.acquire()
print("ready", flush=True)
sys.stdin.read()
