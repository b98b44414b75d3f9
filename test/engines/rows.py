"""Shared by the parts: unusual rows, the verdicts of one addrsift process, comparisons, and rates.

A part's arguments are its working folder, the folder of the engine files, the number of rows, and its name.
"""

import json
import os
import random
import re
import subprocess
import sys
import textwrap
import time

FOLDER, ENGINES, COUNT, PART = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
FIELDS = (
    "syntax_validation normalized subaddressing role_address public_domain relay_domain relay_provider disposable detection_source"
).split()
BOOLEANS = {"syntax_validation", "subaddressing", "role_address", "public_domain", "relay_domain", "disposable"}

ODD = [
    None, "", " ", "\\", "\\N", "\\t", "a\tb@gmail.com", "jo\ne@gmail.com", "jo\r\ne@gmail.com", "a\r", "\n", '"', '"a b"@mailinator.com',
    '"a\\\\b"@gmail.com', '"a\\"b"@example.org', "\u2028@gmail.com", "x\u0085y@gmail.com", "\ufeffjane@gmail.com", "PK\x03\x04x", "\0",
    "\0@x.org", "joe@x\0", "a\0b@gmail.com", "é@bücher.de", "用户@例子.中国", "😀@gmail.com", "a,b@gmail.com", "{}", "null", "sep=;", "email", "info@duck.com",
    "Jane.Doe+news@googlemail.com", "x" * 70_000, " padded@gmail.com ", "a\vb@gmail.com", "a\x1fb@gmail.com",
]  # fmt: skip


def odd_rows(without=""):
    """Returns pairs of an ID and an address or None. A quarter are unusual, but without a character that the engine can't store."""
    rng = random.Random(1)
    odd_ones = [odd for odd in ODD if without == "" or without not in (odd or "")]
    domains = ["gmail.com", "mailinator.com", "duck.com", "example.org", "bücher.de", "mail.10minutemail.com", "no.such-suffix"]
    rows = []
    for i in range(COUNT):
        if rng.random() < 0.25:
            # The long address is rare, because it would make up most of the bytes.
            odd = rng.choice(odd_ones)
            rows.append((i, "a@b@c" if odd and len(odd) > 1000 and rng.random() < 0.95 else odd))
        else:
            domain = rng.choice(domains) if rng.random() < 0.5 else f"d{rng.randrange(COUNT)}.example.com"
            rows.append((i, f"u{rng.randrange(COUNT)}{rng.choice(['', '+tag', '.x'])}@{domain}"))
    return rows


def expected(emails):
    """Returns None or nine values for each address, from JSON Lines, which the engines don't use."""
    text = "".join(json.dumps({"email": email}) + "\n" for email in emails)
    line = ["addrsift", "detect", "--quiet", "--part", "--jsonl", "--column", "email", "--into", "verdict"]
    result = subprocess.run(line, input=text.encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(answer)["verdict"] for answer in result.stdout.split(b"\n")[:-1]]
    assert len(answers) == len(emails)
    return tuples(answers)


def tuples(structs):
    return [None if struct is None else tuple(struct.get(field) for field in FIELDS) for struct in structs]


def tsv(rows):
    """Formats the rows as PostgreSQL's COPY does."""
    escapes = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
    return "".join(f"{i}\t" + ("\\N" if email is None else email.translate(escapes)) + "\n" for i, email in rows)


def save(name, text, mode=0o644):
    """Writes a file in the part's folder and returns its path."""
    folder = os.path.join(FOLDER, PART)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def recipe(name):
    with open(os.path.join(ENGINES, name), encoding="utf-8") as file:
        return file.read()


def manual(words):
    """Returns the only Python block of the manual page that contains the words."""
    with open(os.path.join(ENGINES, "../../man/addrsift-engines.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^(?:    .*\n|\n(?=    ))+", file.read(), re.M)
    (block,) = (block for block in blocks if words in block)
    return textwrap.dedent(block)


def killed_once(mark, victim="", count=0):
    """Returns the words before a command whose first call kills itself and its `count` nearest ancestors named `victim`.

    The second value is a function that reports whether that has happened.
    """
    path = os.path.join(FOLDER, f"{PART}-{mark}")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kill-once.sh")
    return ("sh", script, path, str(COUNT * 2), victim or "-", str(count)), lambda: os.path.isdir(path)


def killed_always():
    """Returns the words of a command that reads some rows, answers none, and kills itself."""
    return "sh", save("kill-always.sh", "head -c 999 > /dev/null; kill -9 $$\n")


def timed(setup, work):
    """Returns the result of `work`, and records its rate for the table of the run."""
    start = time.perf_counter()
    result = work()
    with open(os.path.join(FOLDER, "rates.jsonl"), "a") as file:
        file.write(json.dumps({"part": PART, "setup": setup, "rows": COUNT, "seconds": time.perf_counter() - start}) + "\n")
    return result


def time_one_process(rows):
    path = save("bare.tsv", tsv(rows))
    with open(path, "rb") as rows_file:
        line = ["addrsift", "detect", "--quiet", "--part", "--tsv", "--column", "2"]
        timed("one process", lambda: subprocess.run(line, stdin=rows_file, stdout=subprocess.DEVNULL, check=True))


def check(description, found, wanted):
    """Compares lists row by row; ends the program at the first difference."""
    found, wanted = list(found), list(wanted)
    if found == wanted:
        print(f"  {description}: {len(wanted)} rows equal", flush=True)
        return
    if len(found) != len(wanted):
        sys.exit(f"{description}: {len(found)} rows for {len(wanted)}")
    i = next(i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1])
    sys.exit(f"{description}: row {i} is {str(found[i])[:1000]}, not {str(wanted[i])[:1000]}")


def check_by_id(description, pairs, wanted):
    """Compares pairs of an ID and nine values. The pairs may be in any order."""
    check(description, sorted(pairs, key=lambda pair: pair[0]), wanted)


def holds(description, condition):
    if not condition:
        sys.exit(f"{description}: failed")
    print(f"  {description}", flush=True)


def fails(description, work, expected=""):
    """Expects that `work` raises an error that contains the text."""
    try:
        work()
    except Exception as error:
        if expected in str(error):
            print(f"  {description}", flush=True)
            return
        sys.exit(f"{description}: {str(error)[:1000]}")
    sys.exit(f"{description}: no error")
