#!/bin/sh
# A sampler that says nothing sensible.
printf '\001\002garbage;;\377\n'
exit 3
