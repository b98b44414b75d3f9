// The hand-written texts of the man pages that are not about a detection's result: what each command is for, statuses, files.

import { CHANNELS_TEXT, KEYS_TEXT } from "./man-records.ts";
import { SERVE_TEXT } from "./man-serve.ts";
import type { Block, CommandText } from "./roff.ts";

export const PURPOSE = "classify e-mail addresses: syntax, canonical form, role, freemail, privacy relay, disposable";

export const DESCRIPTION: readonly Block[] = [
  "`addrsift` says of an e-mail address whether it is well-formed, what its canonical form is, and whether it is a shared inbox, at a consumer mailbox provider, at a privacy relay, or at a disposable-address service, each with the evidence.",
  "Verdicts come from lists that are part of the package. For a domain that no list settles, DNS may be asked where its mail goes; with `--dns off` or `--offline` no packet is sent, and the same address with the same options and lists gives the same output on every machine. No mailbox is ever asked whether it exists.",
  "Standard output carries data only. Summaries, warnings and errors go to standard error. An error is one line that says what is wrong and how to mend it.",
];

export const GLOBAL_OPTIONS_INTRO = "Every command takes these.";

export const HELP_COMMAND =
  "Print the help of a command. A call without a command prints the help of the program, or of the group of commands that it names, with status 0.";

/** By the first word of the command; a command without a text stops the generator. */
export const COMMAND_TEXTS: Readonly<Record<string, CommandText>> = {
  detect: {
    description: [
      "`addrsift detect` classifies the addresses given as arguments. Without arguments it reads one address a line from `--input`, or from standard input when that is not a terminal.",
      "Each row in gives exactly one row out, in the order of the input, blank and broken lines included, before `--select` and `--reject` choose among them. Files may be larger than memory.",
      "A row whose line break has arrived is answered before more input is awaited, in every format but `table`: a program may keep one process at a pipe, write rows and read as many answers. The exit status is 0 only when all rows are out.",
      "Arguments are taken as they are. Lines end in LF or CRLF and lose surrounding ASCII white space first; a UTF-8 byte-order mark at the start is not part of the first address. UTF-16 is an error with the `iconv` line that mends it, and so is UTF-32; packed input (gzip, xz, bzip2, zstd, zip) is an error with the line that unpacks it. `-` in place of addresses is standard input. An address with octets that are not UTF-8, or a line over 64 KiB, is an invalid row.",
      "With `--csv` the input is CSV (RFC 4180) and a record may span lines inside quotes. CSV output keeps every input column octet for octet and adds nine behind the header's width, named like the fields under OUTPUT FIELDS; short records are padded, surplus fields follow the added ones, and ragged rows are counted on standard error. A name that the header already has is an error that points to `--prefix`. `--csv` with `--format ndjson` gives the detection objects alone. A record over 16 MiB is a quote that never closes: an error that names its row. A first line `sep=;`, as Excel writes it, and lines that end in CR alone are errors that say what to do.",
      "The classes that `--select`, `--reject` and `--fail-on` name stand under ROW CLASSES. `--fail-on` and the summary count all rows, whatever `--select` and `--reject` keep. In bulk, `unknown` needs `--dns on`.",
      "`--summary-file` is opened before the first row and written at the end, an interrupted run's too: its `exit_status` is then 130 or 143, and a summary for people begins with `interrupted after`. It has `rows`, `classes`, `faults`, `domains`, `top_disposable_domains`, `top_relays`, `duration_ms`, `data_version` and `exit_status`.",
      "For a domain that no list and no override settles, `--dns on` asks where its mail goes; `--dns auto`, the default, does so for arguments and not for bulk input. Mail exchangers that serve disposable services only, that stand under a disposable domain (of confidence `single` or better), or that have an address of such a service make the domain disposable; those that serve only the aliases of a relay make it a relay. Exchangers of parked names are told (`parked` in `explain.matches`) and change no verdict. Shared infrastructure (Google, Microsoft, Cloudflare, services that forward for any domain) says nothing, but `explain.mail_provider` names it. No answer within `--dns-timeout` leaves what the lists say, and `explain.dns.status` says why. A listed domain causes no packet.",
      "In bulk, `--dns on` reads ahead and asks for up to 128 domains at a time, each once while its answer is remembered (an hour; five minutes when there is no such name or no mail; 15 seconds without an answer). Rows stay in order, so one may wait for another's domain, but never longer than `--dns-timeout`. `--jobs` has no part in it. The summary says how many domains the lists, DNS or nothing settled; thousands are counted within about one percent.",
      "Name servers are those of the system, unless `--dns-server` or `ADDRSIFT_DNS_SERVERS` names others by IP address: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. They are asked in that order, and one that is silent while another answers loses its turn to it.",
      "A table is never wider than the terminal: cells wrap, and a column without room stands below its row. The canonical form follows an arrow below the address, where it differs from it. An address with nothing against it is `ok`; `no mail` when DNS says that its domain does not exist or takes no mail; `unknown` when DNS was asked and gave no answer.",
      "`--part` is for programs that cut an input at row ends and run `addrsift detect` on each part: the outputs of the parts, one behind the other, are the output of the whole. Nothing at the beginning is special: a byte-order mark there makes an invalid address, as it does in any other row. CSV has no header, `--column` gives the number of the column, and the nine columns stand behind each record's own last one. No output has a header, and no rows in is no rows out with status 0. `json` and `table` have no parts.",
      "An address that begins with a hyphen needs `--` before it.",
    ],
    examples: [
      "An address that begins with a hyphen:",
      { lines: ["$ addrsift detect -- -x@example.com"] },
      "The first address of each mailbox:",
      {
        lines: [
          "$ addrsift detect -f tsv --select valid < in.txt |",
          "    awk -F'\\t' 'NR > 1 && !seen[$3]++ { print $1 }'",
        ],
      },
      "The lines that a branch adds to a file, and 1 when one of them is bad:",
      {
        lines: [
          "$ git diff -U0 origin/main...HEAD -- seed.txt | sed -n '/^+++ /d; s/^+//p' |",
          "    addrsift detect --fail-on invalid,disposable --select invalid,disposable -f plain",
        ],
      },
      "On all cores, by threads and by GNU parallel:",
      {
        lines: [
          "$ addrsift detect --jobs 4 < in.txt > out.ndjson",
          "$ parallel --pipe --keep-order --retries 3 --block 64M addrsift detect --quiet --part < in.txt > out.ndjson",
        ],
      },
      "Into a table of PostgreSQL, whose columns are those of the file and the nine added ones:",
      {
        lines: [
          "COPY checked FROM PROGRAM 'addrsift detect --csv --quiet -i /srv/customers.csv'",
          "    WITH (FORMAT csv, HEADER);",
        ],
      },
    ],
  },
  channels: CHANNELS_TEXT,
  keys: KEYS_TEXT,
  serve: SERVE_TEXT,
  lists: {
    description: [
      "`addrsift lists` shows the lists that verdicts rest on: reviewed lists of this project and public lists of disposable domains, merged and compiled into one file that is part of the package.",
      "`lists lookup` takes a domain, or an address of which it looks at the domain alone. It prints one line for each class that the domain is in, with the entry that matched, or says that it is in no list.",
    ],
  },
  completion: {
    description: [
      "`addrsift completion` prints a script for `bash`, `zsh` or `fish`. The shell then completes commands, options, values of options, also inside lists that are separated by commas, and paths.",
      'The script is made from this version\'s options: print it again after an update. EXAMPLES says where each shell looks for it. Where bash does not have the package bash-completion, put the line `eval "$(addrsift completion bash)"` into `~/.bashrc`.',
    ],
  },
};

export const EXIT_STATUS: readonly (readonly [string, string])[] = [
  [
    "`0`",
    "Done. An address that is not valid is a result, not a failure. Also when the reader of the output closed it.",
  ],
  ["`1`", "`--fail-on` found a row of a class that it names."],
  [
    "`2`",
    "A usage error, an input that can't be read, an output that can't be written, damaged lists, or a test by `channels test` that did not get through.",
  ],
  ["`130`, `143`", "Interrupted or terminated by a signal."],
];

export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  [
    "`ADDRSIFT_DNS_SERVERS`",
    "Name servers to ask, by IP address with an optional port, separated by commas or white space. `--dns-server` wins. Where DNS will not be asked, what it holds is not looked at.",
  ],
  [
    "`ADDRSIFT_PUBLIC_URL`",
    "The URL under which others reach the daemon, with a path or without; links in mail begin with it. `--public-url` wins.",
  ],
  [
    "`COLUMNS`",
    "How wide tables may be where the output is not a terminal. Without it, `--format table` takes 80 columns, and records are not wrapped.",
  ],
  ["`NO_COLOR`", "When set and not empty, tables have no colour. `--no-color` does the same."],
  [
    "`FORCE_COLOR`",
    "`1`, `2` or `3` gives tables colour where the output is no terminal, `0` takes it away. `NO_COLOR` wins.",
  ],
  [
    "`ADDRSIFT_HOME`, `XDG_DATA_HOME`",
    "The default of `--home`: `$ADDRSIFT_HOME`, else `$XDG_DATA_HOME/addrsift` when that is absolute.",
  ],
  [
    "`ADDRSIFT_SMTP_URL`",
    "The mail server for channels of type email: `smtp://`{USER}`:`{PASSWORD}`@`{HOST}`:`{PORT}, or `smtps://` for TLS from the first octet. Credentials are sent to another machine over TLS alone.",
  ],
  [
    "`ADDRSIFT_SMTP_FROM`",
    "The sender of such mail: an address, or a name and an address in angle brackets. A channel that is made while one of the two is missing is told so.",
  ],
  [
    "`ADDRSIFT_ALLOW_PRIVATE`",
    "Ranges of private or otherwise special addresses that webhooks may reach, separated by commas: `10.0.0.0/8,fd00::/8`. `--allow-private` wins. The mail server is exempt.",
  ],
];

export const FILES: readonly (readonly [string, string])[] = [
  [
    "`dist/lists.bin`",
    "The compiled lists, below the folder of the package. `addrsift lists status` gives their version and sources.",
  ],
  ["`~/.local/share/addrsift`", "The default home, a folder with mode 0700 that is made when something is kept."],
  [
    "`lists.bin` in the home",
    "Updated lists, in the form of the built-in ones, which they replace for every command. Where the file is damaged or foreign, the built-in ones serve, with a warning.",
  ],
  [
    "`deliveries.json` in the home",
    "Events that channels are told of, until 30 days after. Kept like `store.json`; when it is damaged, `addrsift channels test` is the command that goes on from the previous copy.",
  ],
  [
    "`store.json` in the home",
    "API keys and channels, with mode 0600. Any number of commands and daemons share it. `store.json.previous` is the copy before the last change. It is read, with a warning and with `/readyz` at 503, when the file is damaged or gone; the daemon and `detect --notify` then change nothing and send nothing. That ends when a backup is put in its place, or with an `addrsift keys` or `addrsift channels` command that changes something: it goes on from the copy, says so, and keeps the damaged file with `.damaged-` in its name. A key that was revoked after the copy is then good again: see `addrsift keys list`. To restore a backup, copy it into the home under another name and `mv` it to `store.json`, or stop the daemon first. `store.json.lock` is only locked, and never removed.",
  ],
];

export const SEE_ALSO: readonly string[] = [
  "RFC 5321 (SMTP)",
  "RFC 5322 (message format)",
  "RFC 6531 (SMTPUTF8)",
  "RFC 5233 (subaddressing)",
  "RFC 2142 (role accounts)",
  "UTS #46 (internationalized domain names)",
];
