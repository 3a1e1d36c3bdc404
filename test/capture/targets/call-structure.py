"""A program whose call structure can be told from its text: every call stands on a line that names what it calls, or says so in a
comment `# calls: NAME, NAME`. Prints its code objects as one JSON line, then `ready`; runs until its standard input is closed.

Arguments: names of scenarios for the main thread (all without any); --alone starts no other threads.
"""
import asyncio
import dis
import json
import os
import sys
import threading
import types


def spin(count):
    total = 0
    for i in range(count):
        total += i
    return total


def alpha():
    return 1


def beta():
    return alpha()


def gamma():
    beta()
    alpha()
    return beta()


def fast():
    for _ in range(300):
        alpha()
        beta()
        gamma()
        alpha()
        gamma()


def descend(depth):
    if depth == 0:
        spin(400)
        return 0
    return descend(depth - 1) + 1


def deep():
    descend(600)
    descend(40)


def numbers(count):
    for i in range(count):
        alpha()
        yield i


def doubled(count):
    for i in numbers(count):  # calls: numbers
        beta()
        yield i * 2


def delegated(count):
    yield from doubled(count)  # calls: doubled
    yield from numbers(count)  # calls: numbers


def generators():
    for _ in delegated(60):  # calls: delegated
        gamma()
    sum(numbers(40))  # calls: numbers
    sum(beta() for _ in range(40))  # calls: <genexpr>, beta
    [beta() for _ in range(40)]  # calls: <listcomp>, beta


class Trouble(Exception):
    def __init__(self, depth):
        super().__init__(depth)
        alpha()


def fail(depth):
    try:
        if depth == 0:
            raise Trouble(depth)  # calls: __init__
        fail(depth - 1)
    finally:
        beta()


class Manager:
    def __enter__(self):
        return alpha()

    def __exit__(self, *error):
        beta()
        return True


def exceptions():
    for _ in range(20):
        try:
            fail(12)
        except Trouble:
            gamma()
        with Manager():  # calls: __enter__, __exit__
            fail(3)  # calls: fail, __exit__


class Größe:
    def __init__(self, value):
        self.value = value
        alpha()

    @property
    def breite(self):
        return beta()

    def 日本(self):
        return self.breite  # calls: breite

    def 𠀀(self):
        return self.日本()

    def __lt__(self, other):
        spin(3)
        return self.value < other.value


def rank(thing):
    return thing.𠀀()


def objects():
    things = []
    for i in range(40):
        things.append(Größe(-i))  # calls: __init__
    sorted(things)  # calls: __lt__
    sorted(things, key=rank)  # calls: rank
    list(map(rank, things))  # calls: rank
    max(map(lambda thing: rank(thing), things))  # calls: <lambda>, rank


MADE = """\
def outer_{0}():
    inner_{0}()
def inner_{0}():
    spin(30)
outer_{0}()
"""
made_count = 10000


def made():
    global made_count
    for _ in range(20):
        made_count = made_count + 1 if made_count < 99999 else 10000
        code = compile(MADE.format(made_count), "<made {}>".format(made_count), "exec")
        exec(code, {"spin": spin})  # calls: <module>


async def leaf():
    spin(30)
    await asyncio.sleep(0)  # calls: sleep


async def branch(depth):
    if depth > 0:
        await branch(depth - 1)
    else:
        await leaf()


async def ticks(count):
    for i in range(count):
        await leaf()
        yield i


async def consumer():
    async for _ in ticks(3):  # calls: ticks
        gamma()


async def root():
    await asyncio.gather(branch(6), consumer(), branch(2))


def coroutines():
    asyncio.run(root())


def errand():
    spin(200)


def comes_and_goes():
    while True:
        others = [threading.Thread(target=errand) for _ in range(3)]  # calls: <listcomp>, __init__
        for other in others:
            other.start()
        for other in others:
            other.join()


def wait_for_parent():
    sys.stdin.read()
    os._exit(0)


SCENARIOS = (fast, deep, generators, exceptions, objects, made, coroutines)


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def lines(code):
    starts = {line for _, line in dis.findlinestarts(code)}
    return sorted(line for line in starts if line is not None)


def facts():
    with open(__file__, encoding="utf-8") as source:
        module = compile(source.read(), __file__, "exec")
    return [
        [getattr(code, "co_qualname", code.co_name), code.co_firstlineno, lines(code)] for code in codes(module)
    ]


def forever(chosen):
    while True:
        for scenario in chosen:
            scenario()  # calls: fast, deep, generators, exceptions, objects, made, coroutines


def main():
    names = [word for word in sys.argv[1:] if not word.startswith("--")]
    chosen = [scenario for scenario in SCENARIOS if not names or scenario.__name__ in names]
    sys.setrecursionlimit(5000)
    print(json.dumps(facts()))
    threading.Thread(target=wait_for_parent, daemon=True).start()
    if "--alone" not in sys.argv:
        threading.Thread(target=comes_and_goes, daemon=True).start()
    print("ready", flush=True)
    forever(chosen)


main()
