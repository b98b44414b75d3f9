#!/bin/sh
# kill-once.sh MARK BYTES NAME COUNT COMMAND...: runs the command. Only the first call, which can create the folder MARK,
# prints only BYTES bytes of the command's output, usually ending within a row. It then kills itself (-9) and its COUNT
# nearest ancestors whose names begin with NAME.
mark=$1 bytes=$2 name=$3 count=$4
shift 4
mkdir "$mark" 2> /dev/null || exec "$@"
"$@" | {
  # Unbuffered, because the caller may wait for the last rows before it sends more.
  stdbuf -o0 head -c "$bytes"
  victims=
  pid=$$
  while [ "$count" -gt 0 ] && [ "$pid" -gt 1 ]; do
    pid=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$pid/stat")
    case $(cat "/proc/$pid/comm") in
      "$name"*)
        victims="$victims $pid"
        count=$((count - 1))
        ;;
    esac
  done
  # The command ends when its output has no reader.
  kill -9 $victims $$
}
