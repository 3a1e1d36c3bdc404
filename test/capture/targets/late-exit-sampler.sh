#!/bin/sh
# A sampler that writes complete output and then ends badly.
while [ "$1" != "-o" ]; do shift; done
echo "py-spy> Sampling process 250 times a second for 1 seconds. Press Control-C to exit."
echo "thread (1): MainThread;<module> (/nowhere/app.py:3) 7" > "$2"
echo "py-spy> Wrote raw flamegraph data to '$2'. Samples: 7 Errors: 0"
echo "Error: No child process (os error 10)" >&2
exit 1
