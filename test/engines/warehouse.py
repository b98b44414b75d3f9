"""Tests the examples for warehouses: a join with the exported lists gives the verdicts of `addrsift detect --domains --dns off`."""

import csv
import json
import os
import re
import subprocess

import chdb.session
import duckdb
from rows import ENGINES, FOLDER, check

examples = os.path.join(ENGINES, "../../man/examples")
os.chdir(FOLDER)


def run(*args: str, stdin: str = "") -> str:
    return subprocess.run(["addrsift", *args], input=stdin, text=True, stdout=subprocess.PIPE, check=True).stdout


run("lists", "allow", "mailinator.com", "--reason", "a partner")
run("lists", "deny", "fakes.example.com", "--reason", "fakes")
with open("lists.csv", "w", encoding="utf-8") as file:
    file.write(run("lists", "export", "--format", "csv"))
with open("lists.csv", encoding="utf-8") as file:
    entries = list(csv.DictReader(file))

# Entries of each kind, by themselves and with one and two labels before them.
names = ["mailinator.com", "x.mailinator.com", "fakes.example.com", "a.fakes.example.com", "example.com", "co.uk", "shop.co.uk"]
for kind in sorted({(e["class"], e["match_type"]) for e in entries} - {("allow", "subdomains"), ("deny", "subdomains")}):
    if kind[0] in ("role", "tld"):
        continue
    some = [e["entry"] for e in entries if (e["class"], e["match_type"]) == kind]
    names += [before + name for name in some[:: max(1, len(some) // 2000)] for before in ("", "a.", "b.a.")]
names = sorted(set(names))

fields = "disposable,public_domain,relay_provider,syntax_validation"
wanted = {}
for line in run("detect", "--domains", "--dns", "off", "--fields", fields, stdin="\n".join(names)).splitlines():
    row = json.loads(line)
    # A name that is not a mail domain has no verdict.
    if row["syntax_validation"]:
        wanted[row["domain"]] = (row["disposable"], row["public_domain"], row.get("relay_provider") or None)
assert len(wanted) > 10_000 and sum(value[0] for value in wanted.values()) > 5000, len(wanted)
emails = [f"jane@{name}" for name in wanted]
wanted = sorted(wanted.items())


def statements(name: str) -> str:
    with open(os.path.join(examples, name), encoding="utf-8") as file:
        return file.read()


def to_verdicts(rows) -> dict:
    return {domain: (bool(disposable), bool(public), relay or None) for domain, disposable, public, relay in rows}


base = duckdb.connect()
base.execute("CREATE TABLE customers AS SELECT unnest(?) AS email", [emails])
base.execute(statements("warehouse-duckdb.sql"))
check("DuckDB's join", sorted(to_verdicts(base.sql("SELECT * FROM addrsift_domains").fetchall()).items()), wanted)

session = chdb.session.Session(os.path.join(FOLDER, "warehouse"))
session.query("CREATE TABLE customers (email String) ENGINE = MergeTree ORDER BY email")
with open("emails.csv", "w", encoding="utf-8") as file:
    file.write("\n".join(emails) + "\n")
session.query(f"INSERT INTO customers SELECT * FROM file('{FOLDER}/emails.csv', 'CSV', 'email String')")
text = re.sub(r"^--.*\n", "", statements("warehouse-clickhouse.sql"), flags=re.MULTILINE).replace("'lists.csv'", f"'{FOLDER}/lists.csv'")
for statement in text.split(";\n"):
    if statement.strip():
        session.query(statement)
rows = [tuple(json.loads(line).values()) for line in str(session.query("SELECT * FROM addrsift_domains", "JSONEachRow")).splitlines()]
check("ClickHouse's join", sorted(to_verdicts(rows).items()), wanted)
