"""Tests the function and the table function of `addrsift engines show clickhouse` in ClickHouse, through chdb."""

import json
import os
import re

import chdb
import pyarrow as pa
from rows import FIELDS, check_by_id, expected, fails, holds, killed_once, odd_rows, recipe, save, time_one_process, timed, tuples

xml = recipe("clickhouse.xml")
command = "<command>addrsift detect"
save("addrsift_function.xml", xml)
indented = re.search(r"^    (#!/bin/sh\n(?:    .+\n)+)", xml, re.M).group(1)
script = indented.replace("\n    ", "\n")
folder = os.path.dirname(save("addrsift-rows", script, 0o755))
rows = odd_rows()
wanted = list(enumerate(expected([email for _, email in rows])))
time_one_process(rows)
data = save("rows.jsonl", "".join(json.dumps({"id": i, "email": email}) + "\n" for i, email in rows))
customers = f"file('{data}', JSONEachRow, 'id UInt64, email Nullable(String)')"
query = f"SELECT id, addrsift(email) AS verdict FROM {customers}"
table = re.search(r"SELECT \* FROM executable\(.*?command_read_timeout = \d+\)", xml, re.S).group(0)
table = table.replace("FROM customers", f"FROM {customers}")


def ask(text):
    answer = chdb.query(text, "ArrowStream", path="", udf_path=folder).bytes()
    return pa.ipc.open_stream(answer).read_all() if answer else pa.table({"id": []})


def verdicts(checked):
    """Returns pairs of an ID and the nine values. In ClickHouse a tuple can't be null, but all its values can."""
    ids = checked["id"].to_pylist()
    structs = checked["verdict"].to_pylist() if "verdict" in checked.column_names else checked.select(FIELDS).to_pylist()
    return zip(ids, tuples(None if struct["syntax_validation"] is None else struct for struct in structs))


checked = timed("the function, two processes", lambda: ask(query))
check_by_id("the function", verdicts(checked), wanted)
blocks = f"{query} SETTINGS max_block_size = 2521, max_threads = 2"
check_by_id("the function in blocks of 2,521 rows", verdicts(ask(blocks)), wanted)
words, killed = killed_once("function")
save("addrsift_function.xml", xml.replace(command, f"<command>{' '.join(words)} addrsift detect"))
fails("a function whose process is killed fails the query", lambda: ask(query))
holds("the process was killed", killed())
check_by_id("the query after a killed process", verdicts(ask(query)), wanted)
save("addrsift_function.xml", xml.replace("executable_pool</type>", "executable</type>"))
checked = timed("the function, a process for each block", lambda: ask(query))
check_by_id("the function with a process for each block", verdicts(checked), wanted)

checked = timed("the table function", lambda: ask(table))
check_by_id("the table function", verdicts(checked), wanted)
holds("the table function over no rows", ask(table.replace(customers, f"{customers} WHERE id < 0")).num_rows == 0)
words, killed = killed_once("table")
save("addrsift-rows", script.replace("exec addrsift", f"exec {' '.join(words)} addrsift"), 0o755)
fails("a table function whose process is killed fails the query", lambda: ask(table))
holds("the process was killed", killed())
check_by_id("the table function after a killed process", verdicts(ask(table)), wanted)
save("addrsift-rows", script.replace("--quiet", "--nonsense"), 0o755)
fails("a process that rejects its options fails the query", lambda: ask(table))
