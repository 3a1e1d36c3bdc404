#!/bin/sh
# A sampler whose second slice has no output.
while [ "$1" != "-o" ]; do shift; done
echo "py-spy> Sampling process 250 times a second for 1 seconds. Press Control-C to exit."
case "$2" in *001.raw) exit 101 ;; esac
echo "thread (1): MainThread;<module> (/nowhere/app.py:3) 7" > "$2"
echo "py-spy> Wrote raw flamegraph data to '$2'. Samples: 7 Errors: 0"
