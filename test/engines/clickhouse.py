"""ClickHouse through chdb: the function and the table function that `addrsift engines show clickhouse` prints."""

import json
import os
import re
import sys
import tempfile

import chdb
from rows import check, expected, holds, odd_rows, tuples

folder = tempfile.mkdtemp(dir=sys.argv[1])
xml = open(os.path.join(sys.argv[2], "clickhouse.xml")).read()


def save(name, text, mode=0o644):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


save("addrsift_function.xml", xml)
indented = re.search(r"^    (#!/bin/sh\n(?:    .+\n)+)", xml, re.M).group(1)
script = indented.replace("\n    ", "\n")
save("addrsift-rows", script, 0o755)
rows = odd_rows(20_000)
wanted = expected(rows)
data = save("rows.jsonl", "".join(json.dumps({"id": i, "email": email}) + "\n" for i, email in rows))
customers = f"file('{data}', JSONEachRow, 'id UInt64, email Nullable(String)')"
table = re.search(r"SELECT \* FROM executable\(.*?command_read_timeout = \d+\)", xml, re.S).group(0)
table = table.replace("FROM customers", f"FROM {customers}")


def ask(query):
    answer = str(chdb.query(query, "JSONEachRow", path="", udf_path=folder))
    return sorted((json.loads(line) for line in answer.split("\n") if line), key=lambda row: row["id"])


def verdicts(structs):
    # A tuple can't be null there: it has nulls only.
    return tuples(None if struct["syntax_validation"] is None else struct for struct in structs)


found = ask(f"SELECT id, addrsift(email) AS verdict FROM {customers}")
check("the function", verdicts(row["verdict"] for row in found), wanted)
found = ask(f"SELECT id, addrsift(email) AS verdict FROM {customers} SETTINGS max_block_size = 2521, max_threads = 2")
check("the function in blocks of 2,521 rows", verdicts(row["verdict"] for row in found), wanted)
save("addrsift_function.xml", xml.replace("executable_pool</type>", "executable</type>"))
found = ask(f"SELECT id, addrsift(email) AS verdict FROM {customers}")
check("the function with a process for each block", verdicts(row["verdict"] for row in found), wanted)
check("the table function", verdicts(ask(table)), wanted)
holds("the table function over no rows", ask(table.replace(customers, f"{customers} WHERE id < 0")) == [])

for what, text in [("is killed", "#!/bin/sh\nhead -c 99999 > /dev/null\nkill -9 $$\n"), ("refuses its options", "#!/bin/sh\nexec addrsift detect --nonsense\n")]:
    save("addrsift-rows", text, 0o755)
    try:
        failed, _ = "", ask(table)
    except Exception as error:
        failed = str(error)
    holds(f"a process that {what} fails the query", failed != "")
