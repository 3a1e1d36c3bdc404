"""Waits for the end of its standard input; holds the interpreter lock never."""

import sys

print("ready", flush=True)
sys.stdin.read()
