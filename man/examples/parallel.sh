#!/bin/sh
# All cores, by processes: GNU parallel cuts addresses.txt at line ends, and runs a part again when its process was killed.
# `--part` tells addrsift that its input is a part of a larger one, so that the result does not depend on where the parts begin.
# Use: sh parallel.sh, in the folder of addresses.txt. On one machine, `addrsift detect --jobs N` does the same with threads.

parallel --pipe --keep-order --retries 3 --block 64M addrsift detect --quiet --part < addresses.txt > results.ndjson
