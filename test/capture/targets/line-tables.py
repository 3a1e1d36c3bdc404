"""Prints, for every code object of a few modules, its line table and the line of every instruction, as the interpreter says."""
import base64
import dis
import json
import sys
import types

import _pydecimal
import argparse
import asyncio.base_events


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def lines(code):
    count = len(code.co_code) // 2
    result = [0] * count
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            for index in range(start // 2, min(end // 2, count)):
                result[index] = line or 0
        return result
    starts = list(dis.findlinestarts(code))
    for (start, line), (end, _) in zip(starts, starts[1:] + [(len(code.co_code), 0)]):
        for index in range(start // 2, min(end // 2, count)):
            result[index] = line
    return result


def main():
    found = []
    for module in (_pydecimal, argparse, asyncio.base_events):
        with open(module.__file__, encoding="utf-8") as source:
            compiled = compile(source.read(), module.__file__, "exec")
        for code in codes(compiled):
            table = code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab
            found.append([base64.b64encode(table).decode(), code.co_firstlineno, len(code.co_code) // 2, lines(code)])
    json.dump(found, sys.stdout)


main()
