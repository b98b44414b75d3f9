"""Tests the class Addrsift of addrsift.py: it gives the verdicts of one process, and raises if its process dies."""

import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import pyarrow as pa
from addrsift import Addrsift
from rows import COUNT, ODD, check, expected, fails, holds, odd_rows, time_one_process, timed, tuples

rows = odd_rows()
emails = [email for _, email in rows]
wanted = expected(emails)
array = pa.array(emails, pa.string())
time_one_process(rows)


def classified(sift, values):
    return tuples(sift.classify(values).to_pylist())


def has_ended(pid):
    """Reports whether a process has ended. A zombie counts as ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


with Addrsift() as sift:
    verdicts = timed("Addrsift.classify", lambda: sift.classify(array))
    check("an array", tuples(verdicts.to_pylist()), wanted)
    check("an array of large strings", classified(sift, array.cast(pa.large_string())), wanted)
    check("a dictionary", classified(sift, array.dictionary_encode()), wanted)
    check("a slice", classified(sift, array.slice(7, 9_000)), wanted[7:9_007])
    check("a chunked array", classified(sift, pa.chunked_array([array[:5], array[5:5], array[5:]])), wanted)
    check("a list", classified(sift, emails), wanted)
    # The CSV reader of pyarrow before 26 fails from some thousand rows on, where a NUL stands shortly before the end of
    # an address.
    long = "a-rather-long-local-part-of-an-address@a-rather-long-domain.example.com"
    odd = [long] * 4000 + [each for nul in ("\0@x.org", "\0", "j\0@x", "joe@x\0", "joe\0@gmail.com") for each in (nul, long)]
    check("NULs among long addresses", classified(sift, odd), expected(odd))
    check("no rows", classified(sift, array[:0]), [])
    check("nulls only", classified(sift, pa.nulls(3)), [None] * 3)
    alone = [row for email in ODD for row in classified(sift, pa.array([email], pa.string()))]
    check("each odd row as the first", alone, expected(ODD))
    rng = random.Random(2)
    found, at = [], 0
    while at < len(rows):
        size = rng.choice([1, 2, 17, 1000, 2520, 2521])
        found += classified(sift, array.slice(at, size))
        at += size
    check("blocks of many sizes over one process", found, wanted)
    times = max(1, 400_000 // COUNT)
    whole = pa.concat_arrays([array] * times)
    check("many rows at once", classified(sift, whole), wanted * times)

with Addrsift(fields=("disposable", "fault")) as sift:
    verdicts = sift.classify(array)
    holds("other fields", [field.name for field in verdicts.type] == ["disposable", "fault"])
    check("the values of other fields", [v and v["disposable"] for v in verdicts.to_pylist()], [w and w[7] for w in wanted])

faults = ("fault", "suggestion")
with Addrsift(fields=faults) as sift:
    odd = ("#", "#j@gmial.com", "j#@gmail.com", '"#"@gmail.com', "j@x#")
    nul, other = (sift.classify([text.replace("#", control) for text in odd]) for control in "\0\1")
    check("NUL has the verdict of another control character", nul.to_pylist(), other.to_pylist())

# Threads share a process; other Python processes with a copy of the object start their own.
with Addrsift() as sift:
    results = [None] * 4

    def work(i):
        results[i] = classified(sift, array)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("four threads", [row for result in results for row in result], wanted * 4)
    with pickle.loads(pickle.dumps(sift)) as other:
        check("a pickled copy", classified(other, array), wanted)
    child = os.fork()
    if child == 0:
        with sift:
            os._exit(0 if classified(sift, array) == wanted else 1)
    same = classified(sift, array) == wanted
    holds("a forked process and its parent do not affect each other", os.waitpid(child, 0)[1] == 0 and same)

# Kill the process during its work, at different moments.
sift = Addrsift()
for attempt in range(10):
    classified(sift, array[:1])
    killer = threading.Timer(0.01 + attempt * 0.05, os.kill, (sift._child.pid, signal.SIGKILL))
    killer.start()
    fails(f"a killed process is an error, {attempt + 1}", lambda: [sift.classify(whole) for _ in range(5)], "it ended with status -9")
    killer.join()
check("the call after a failure starts another process", classified(sift, array), wanted)
sift.close()

fails("a missing program says what to do", lambda: Addrsift(command=("no-such",)).classify(array), "put addrsift on the path")
fails("a wrong option says why", lambda: Addrsift("--nonsense").classify(array), "unknown option '--nonsense'")
pipe = "import subprocess, sys; rows = subprocess.Popen(['addrsift', *sys.argv[1:]], stdout=subprocess.PIPE).stdout\nfor row in rows: "
swap = "sys.stdout.buffer.write(next(rows) + row); sys.stdout.flush()"
swapped = Addrsift(command=(sys.executable, "-c", pipe + swap))
fails("rows in another order are an error", lambda: swapped.classify(pa.array(["a@gmail.com", "b@gmail.com"])), "other addresses")
double = "sys.stdout.buffer.write(row + row); sys.stdout.flush()"
doubled = Addrsift(command=(sys.executable, "-c", pipe + double))
fails("a row too many is an error", lambda: doubled.classify(pa.array(["a@gmail.com"])))

# A program that is killed leaves no addrsift.
code = "import pyarrow as pa; from addrsift import Addrsift; s = Addrsift(); a = pa.array(['a@gmail.com'] * 100000); s.classify(a)\n"
code += "print(s._child.pid, flush=True)\nwhile True: s.classify(a)"
program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
pid = int(program.stdout.readline())
program.kill()
program.wait()
deadline = time.monotonic() + 10
while not has_ended(pid) and time.monotonic() < deadline:
    time.sleep(0.05)
holds("a killed program leaves no addrsift", has_ended(pid))
