#!/bin/sh
# All cores, by processes: GNU parallel cuts addresses.txt at line ends, and runs a part again when its process was
# killed. `--part` tells addrsift that its input is a part of a larger one, so that the result does not depend on where
# the parts begin.
# Use: sh parallel.sh [HOST,HOST...], in the folder of addresses.txt. Parts go to the hosts over ssh, where `addrsift`
# must be on the path; `:` is this machine. When a part fails three times, the result stays results.ndjson.part.

# Where a locale is not installed, bash and perl warn about it on stderr.
case $(parallel --version 2> /dev/null) in
  "GNU parallel "*) ;;
  *)
    echo "parallel.sh: parallel must be GNU parallel, not the one of moreutils: install the package parallel" >&2
    exit 2
    ;;
esac
parallel --pipe --keep-order --retries 3 --block 64M ${1:+--sshlogin "$1"} addrsift detect --quiet --part \
  < addresses.txt > results.ndjson.part &&
  mv results.ndjson.part results.ndjson
