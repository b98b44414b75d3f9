#!/bin/sh
# Uses all cores: GNU parallel splits addresses.txt at line breaks, and retries a part if its process was killed.
# `--part` tells addrsift that its input is a part of a larger one, so that the result does not depend on where parts
# begin.
# Use: sh parallel.sh [HOST,HOST...], in the folder of addresses.txt. Parts go to the hosts over ssh, where `addrsift`
# must be on the path; `:` is this machine. If a part fails three times, there is only results.ndjson.part.

# Standard error is ignored, because bash and perl warn there if a locale is not installed.
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
