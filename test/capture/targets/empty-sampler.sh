#!/bin/sh
# A sampler that finds nothing to sample.
while [ "$1" != "-o" ]; do shift; done
echo "py-spy> Sampling process 250 times a second for 1 seconds. Press Control-C to exit."
: > "$2"
echo "py-spy> Wrote raw flamegraph data to '$2'. Samples: 0 Errors: 0"
