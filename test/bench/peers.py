# The Python package email-validator, called for each line of standard input.
#   python3 test/bench/peers.py < FILE

import sys

from email_validator import EmailNotValidError, validate_email

valid = 0
for line in sys.stdin.buffer:
    try:
        validate_email(line.decode("utf-8", "replace").strip(), check_deliverability=False)
        valid += 1
    except EmailNotValidError:
        pass
print(valid)
