#!/bin/sh
# A python3 that does not end with its input.
while :; do sleep 0.2; done
