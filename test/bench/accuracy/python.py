# The Python half of the accuracy bench: reads JSON from standard input, does one job, writes JSON.
#   python3 test/bench/accuracy/python.py rows|list|burner|email-validator|is-burner-email

import ast
import glob
import json
import sys
import tarfile
import zipfile


def read_rows(folder):
    """Returns the parameters of each test in email-validator's own test file, by the test's name."""
    with tarfile.open(glob.glob(folder + "/*.tar.gz")[0]) as archive:
        name = next(n for n in archive.getnames() if n.endswith("tests/test_syntax.py"))
        tree = ast.parse(archive.extractfile(name).read())
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    return {test.name: [first_texts(row) for row in test.decorator_list[0].args[1].elts] for test in tests}


def first_texts(row):
    """Returns the constants of a test's row: the address, and the diagnosis if it is a constant."""
    cells = row.elts if isinstance(row, (ast.List, ast.Tuple)) else [row]
    return [cell.value for cell in cells if isinstance(cell, ast.Constant)]


def read_list(folder):
    """Returns the names of a release of the community list, and the date of its file in the wheel."""
    with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as archive:
        entry = archive.getinfo("disposable_email_domains/__init__.py")
        tree = ast.parse(archive.read(entry))
    named = {t.id: n.value for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    names = named.get("blocklist") or named.get("blacklist")
    return {"date": "%d-%02d-%02d" % entry.date_time[:3], "names": sorted(ast.literal_eval(names))}


def read_burner(_):
    """Returns is-burner-email's lists of legitimate domains and of forwarding services, with their headings."""
    from importlib.resources import files

    data = files("is_burner_email.data")
    return {name: (data / f"{name}.txt").read_text("utf-8").split("\n") for name in ("whitelist", "graylist")}


def judge_syntax(addresses):
    from email_validator import EmailNotValidError, validate_email

    def is_valid(address):
        try:
            validate_email(address, check_deliverability=False)
            return True
        except EmailNotValidError:
            return False

    return [is_valid(address) for address in addresses]


def judge_burner(addresses):
    from is_burner_email import check

    return [check(address)["list"] for address in addresses]


JOBS = {
    "rows": read_rows,
    "list": read_list,
    "burner": read_burner,
    "email-validator": judge_syntax,
    "is-burner-email": judge_burner,
}
print(json.dumps(JOBS[sys.argv[1]](json.load(sys.stdin))))
