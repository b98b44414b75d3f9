"""Classifies columns of email addresses with `addrsift detect`, for programs that exchange Arrow arrays: DuckDB,
Polars, Dask, Ray, PySpark.

Use: copy this file next to your program (`addrsift engines show python > addrsift.py`), with `addrsift` on the path. It
needs pyarrow 15 or later.

    with Addrsift() as sift:
        verdicts = sift.classify(array)  # a struct for each address, null for null

An Addrsift keeps one process of addrsift running. If the process fails, `classify` raises: it never omits a row or
returns the verdict of another row. `man addrsift-engines` shows how to call it from each engine.
"""

import os
import subprocess
import tempfile
import threading

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

#: Default fields of a verdict, in the order of `addrsift detect`. Any field that `--fields` accepts can be requested.
FIELDS = (
    "syntax_validation",
    "normalized",
    "subaddressing",
    "role_address",
    "public_domain",
    "relay_domain",
    "relay_provider",
    "disposable",
    "detection_source",
)
_BOOLEANS = {"syntax_validation", "subaddressing", "role_address", "public_domain", "relay_domain", "disposable"}

#: Rows sent to the process at a time. This bounds the memory of a call.
_BATCH_ROWS = 65_536
#: A longer address is invalid whatever it contains, so a placeholder one byte over this limit is sent instead.
_MAX_ADDRESS_BYTES = 65_536
#: The backslash must be escaped first, because the other escapes contain backslashes. NUL is replaced by another
#: control character, which has the same verdict: after a NUL, the CSV reader of pyarrow before 26 can miss a delimiter.
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\1"))
_UNESCAPED = {"t": "\t", "n": "\n", "r": "\r"}
_NULL = "\\N"


class AddrsiftError(RuntimeError):
    """addrsift has failed, or its output does not match its input. The message includes its standard error."""


class Addrsift:
    """A process of `addrsift detect`, which is started at the first call of `classify`.

    `options` are options of `addrsift detect`, such as "--min-confidence", "confirmed". `fields` are the fields of a
    verdict. `command` starts addrsift, such as ("./sift/addrsift",) in an unpacked archive. Threads can share an
    Addrsift. After pickling or a fork, the other Python process starts its own addrsift.
    """

    def __init__(self, *options, fields=FIELDS, command=("addrsift",)):
        self._arguments = (tuple(options), tuple(fields), tuple(command))
        arguments = ["detect", "--quiet", "--part", "--tsv", "--column", "1", "--fields", ",".join(fields)]
        self._command_line = [*command, *arguments, *options]
        self.type = pa.struct([(name, pa.bool_() if name in _BOOLEANS else pa.string()) for name in fields])
        self._lock = threading.Lock()
        self._child = None

    def __reduce__(self):
        return _create, self._arguments

    def __enter__(self):
        return self

    def __exit__(self, kind, _error, _trace):
        if kind is None:
            self.close()
        else:
            self._stop()

    def classify(self, emails):
        """Classifies an Array or ChunkedArray of addresses. Returns one struct of `self.type` for each address, in the
        same order, and null for null.

        For a list, a pandas Series or anything else that pyarrow converts to an array, the result is an Array. Raises
        AddrsiftError; the next call then starts a new process.
        """
        if isinstance(emails, pa.ChunkedArray):
            return pa.chunked_array([self.classify(chunk) for chunk in emails.chunks], self.type)
        if not isinstance(emails, pa.Array):
            emails = pa.array(emails, pa.string())
            # A Series can be backed by several chunks.
            if isinstance(emails, pa.ChunkedArray):
                return self.classify(emails).combine_chunks()
        if pa.types.is_dictionary(emails.type):
            emails = emails.dictionary_decode()
        batches = [emails.slice(start, _BATCH_ROWS) for start in range(0, len(emails), _BATCH_ROWS)]
        with self._lock:
            try:
                verdicts = [self._classify_batch(batch.cast(pa.large_string())) for batch in batches]
            except BaseException:
                # Otherwise the next call would read the rest of this batch's output as its own.
                self._stop()
                raise
        return pa.concat_arrays(verdicts) if verdicts else pa.array([], self.type)

    def close(self):
        """Ends the process. Raises AddrsiftError if it failed or wrote more rows than it read."""
        with self._lock:
            child = self._child
            if child is None or child.owner != os.getpid():
                return
            child.stdin.close()
            rest = child.stdout.read()
            status = child.wait()
            self._child = None
            child.stdout.close()
            if status != 0 or rest:
                raise child.failure(f"it ended with status {status} and wrote {len(rest)} bytes too many")
            child.stderr_file.close()

    def _stop(self):
        child, self._child = self._child, None
        if child is not None and child.owner == os.getpid():
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout, child.stderr_file):
                stream.close()

    def _classify_batch(self, emails):
        if self._child is None or self._child.owner != os.getpid():
            self._child = _Child(self._command_line)
        sent = _escape(emails)
        output = self._child.exchange(_to_lines(sent), len(sent))
        table = _parse(output, self.type)
        # The output repeats the addresses, so a missing or moved row is detected.
        if table.num_rows != len(sent) or not table.column(0).combine_chunks().equals(sent):
            raise self._child.failure("its output has other addresses than its input")
        columns = [_unescape_column(column.combine_chunks()) for column in table.columns[1:]]
        return pa.StructArray.from_arrays(columns, fields=list(self.type), mask=emails.is_null())


class _Child(subprocess.Popen):
    def __init__(self, command_line):
        self.stderr_file = tempfile.TemporaryFile()
        self.owner = os.getpid()
        try:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.stderr_file}
            super().__init__(command_line, **pipes, bufsize=0)
        except OSError as error:
            advice = "put addrsift on the path, or set `command`"
            raise self.failure(f"{command_line[0]} can't be started ({error.strerror}): {advice}") from error

    def exchange(self, bytes, rows):
        """Writes the rows and reads as many lines. A separate thread writes, because otherwise both processes could
        block on full pipes.
        """
        writer = threading.Thread(target=self._write, args=(bytes,), daemon=True)
        writer.start()
        chunks, remaining = [], rows
        try:
            while remaining > 0:
                chunk = self.stdout.read(1 << 20)
                if not chunk:
                    ended = f"it ended with status {self.wait()}"
                    raise self.failure(f"{ended} with {remaining} of {rows} rows unanswered")
                remaining -= chunk.count(b"\n")
                chunks.append(chunk)
        except BaseException:
            self.kill()
            raise
        finally:
            writer.join()
        if remaining < 0 or not chunk.endswith(b"\n"):
            raise self.failure("it wrote more rows than it read")
        return b"".join(chunks)

    def _write(self, bytes):
        try:
            while len(bytes) > 0:
                bytes = bytes[self.stdin.write(bytes) :]
        except OSError:
            pass  # The process has ended, and `exchange` reads the end of its output.

    def failure(self, problem):
        self.stderr_file.seek(0)
        stderr = self.stderr_file.read().decode(errors="replace").strip()[-2000:]
        return AddrsiftError(f"addrsift: {problem}" + (f": {stderr}" if stderr else ""))


def _create(options, fields, command):
    return Addrsift(*options, fields=fields, command=command)


def _escape(emails):
    """Returns the addresses as fields of tab-separated rows."""
    long = pc.greater(pc.binary_length(emails), _MAX_ADDRESS_BYTES)
    if pc.any(long).as_py():
        emails = pc.if_else(long, "x" * (_MAX_ADDRESS_BYTES + 1), emails).cast(pa.large_string())
    for plain, escape in _ESCAPES:
        emails = pc.replace_substring(emails, plain, escape)
    return emails


def _to_lines(fields):
    """Returns the rows as bytes."""
    empty, line_break = (pa.scalar(text, pa.large_string()) for text in ("", "\n"))
    text = pc.binary_join_element_wise(pc.fill_null(fields, _NULL), empty, line_break)
    _, offsets, bytes = text.buffers()
    if bytes is None:
        return memoryview(b"")
    ends = memoryview(offsets).cast("q")
    return memoryview(bytes)[ends[text.offset] : ends[text.offset + len(text)]]


def _parse(output, verdict):
    fields = list(verdict)
    return pyarrow.csv.read_csv(
        # The reader removes a byte-order mark from the first bytes, so an empty line is put before the first row.
        pa.py_buffer(b"\n" + output),
        # With a single block, each column is a single array.
        pyarrow.csv.ReadOptions(
            column_names=["", *(field.name for field in fields)],
            skip_rows=1,
            use_threads=False,
            block_size=len(output) + 2,
        ),
        pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False, escape_char=False, ignore_empty_lines=False),
        pyarrow.csv.ConvertOptions(
            column_types={"": pa.large_string(), **{field.name: field.type for field in fields}},
            null_values=[_NULL],
            strings_can_be_null=True,
            true_values=["true"],
            false_values=["false"],
        ),
    )


def _unescape_column(column):
    if not pa.types.is_string(column.type):
        return column
    has_escape = pc.fill_null(pc.match_substring(column, "\\"), False)
    if not pc.any(has_escape).as_py():
        return column
    plain = [_unescape_text(text) for text in column.filter(has_escape).to_pylist()]
    return pc.replace_with_mask(column, has_escape, pa.array(plain, pa.string()))


def _unescape_text(text):
    first, *parts = text.split("\\")
    plain, parts = [first], iter(parts)
    for part in parts:
        # An empty part comes from two backslashes, which stand for one.
        plain.append("\\" + next(parts, "") if part == "" else _UNESCAPED.get(part[0], part[0]) + part[1:])
    return "".join(plain)


#: The Addrsift objects of `shared`, by their arguments.
_shared = {}


def shared(*options, fields=FIELDS, command=("addrsift",)):
    """Returns the Addrsift with these arguments that all calls in this Python process share. For workers, which
    process one partition after another: a new process for each would cost about 0.3 s of processor time.
    """
    arguments = (tuple(options), tuple(fields), tuple(command))
    return _shared.setdefault(arguments, _create(*arguments))


def classify(df, column, *options, into="addrsift", fields=FIELDS, command=("addrsift",)):
    """Returns the DataFrame with one more column, `into`: a struct of the fields, or null if the address is null.

    Needs PySpark 3.5 or later. Only the column of addresses leaves the JVM. Spark retries a failed task; if it fails
    again, the job fails. Executors need this file (`--py-files addrsift.py`) and addrsift. A Python worker keeps its
    process of addrsift until it exits.
    """
    from collections.abc import Iterator

    from pyspark.sql import functions

    verdict = Addrsift(*options, fields=fields, command=command).type
    names = {pa.bool_(): "boolean", pa.string(): "string"}
    schema = ", ".join(f"{field.name} {names[field.type]}" for field in verdict)

    def detect(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for emails in batches:
            yield shared(*options, fields=fields, command=command).classify(emails)

    # Available in PySpark 4.1 or later.
    if hasattr(functions, "arrow_udf"):
        udf = functions.arrow_udf(detect, schema)
    else:
        udf = _pandas_udf(detect, schema, verdict)
    # Spark calls a deterministic function again for each use of the struct.
    return df.withColumn(into, udf.asNondeterministic()(df[column]))


def _pandas_udf(detect, schema, verdict):
    from collections.abc import Iterator

    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    booleans = {pa.bool_(): pd.BooleanDtype()}.get

    def work(batches: Iterator[pd.Series]) -> Iterator[pd.DataFrame]:
        for verdicts in detect(pa.Array.from_pandas(emails, type=pa.string()) for emails in batches):
            table = pa.Table.from_arrays(verdicts.flatten(), schema=pa.schema(list(verdict)))
            yield table.to_pandas(types_mapper=booleans)

    return pandas_udf(work, schema)
