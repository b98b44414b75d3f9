"""Odd rows, and what one process of addrsift says of each: read from JSON Lines, so by another way than the engines use."""

import json
import random
import subprocess
import sys

FIELDS = (
    "syntax_validation normalized subaddressing role_address public_domain relay_domain relay_provider disposable detection_source"
).split()

ODD = [
    None, "", " ", "\\", "\\N", "\\t", "a\tb@gmail.com", "jo\ne@gmail.com", "jo\r\ne@gmail.com", "a\r", "\n", '"', '"a b"@mailinator.com',
    '"a\\\\b"@gmail.com', '"a\\"b"@example.org', "\u2028@gmail.com", "x\u0085y@gmail.com", "\ufeffjane@gmail.com", "PK\x03\x04x", "\0",
    "a\0b@gmail.com", "é@bücher.de", "用户@例子.中国", "😀@gmail.com", "a,b@gmail.com", "{}", "null", "sep=;", "email", "info@duck.com",
    "Jane.Doe+news@googlemail.com", "x" * 70_000, " padded@gmail.com ", "a\vb@gmail.com", "a\x1fb@gmail.com",
]  # fmt: skip


def odd_rows(count, seed=1):
    """(id, address or None), a quarter of them odd."""
    rng = random.Random(seed)
    domains = ["gmail.com", "mailinator.com", "duck.com", "example.org", "bücher.de", "mail.10minutemail.com", "no.such-suffix"]
    rows = []
    for i in range(count):
        if rng.random() < 0.25:
            # The long one is rare, because it would be most of the octets.
            odd = rng.choice(ODD)
            rows.append((i, "a@b@c" if odd and len(odd) > 1000 and rng.random() < 0.95 else odd))
        else:
            rows.append((i, f"u{rng.randrange(count)}{rng.choice(['', '+tag', '.x'])}@{rng.choice(domains)}"))
    return rows


def expected(rows):
    """For each row None, or its nine values."""
    text = "".join(json.dumps({"email": email}) + "\n" for _, email in rows)
    line = ["addrsift", "detect", "--quiet", "--part", "--jsonl", "--column", "email", "--into", "verdict"]
    done = subprocess.run(line, input=text.encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(answer)["verdict"] for answer in done.stdout.split(b"\n")[:-1]]
    assert len(answers) == len(rows)
    return [None if answer is None else tuple(answer.get(field) for field in FIELDS) for answer in answers]


def check(what, found, wanted):
    """Compares lists row by row; ends the program at the first difference."""
    found, wanted = list(found), list(wanted)
    if found == wanted:
        print(f"  {what}: {len(wanted)} rows equal", flush=True)
        return
    if len(found) != len(wanted):
        sys.exit(f"{what}: {len(found)} rows for {len(wanted)}")
    i = next(i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1])
    sys.exit(f"{what}: row {i} is {found[i]!r}, not {wanted[i]!r}")


def holds(what, condition):
    if not condition:
        sys.exit(f"{what}: it does not hold")
    print(f"  {what}", flush=True)


def tuples(structs):
    return [None if struct is None else tuple(struct[field] for field in FIELDS) for struct in structs]
