"""Prints `ready`, then ends when a line arrives on its standard input."""
import sys

print("ready", flush=True)
sys.stdin.readline()
