"""Classifies columns of email addresses with `addrsift detect`, for programs that exchange Arrow arrays: DuckDB,
Polars, Dask, Ray, PySpark.

Use: copy this file beside your program (`addrsift engines show python > addrsift.py`), with `addrsift` on the path. It
needs pyarrow 15 or later.

    with Addrsift() as sift:
        verdicts = sift.classify(array)  # a struct for each address, null for null

One process of addrsift serves an Addrsift for as long as it lives. When that process fails, so does `classify`: no row
is left out, and none gets the answer of another. `man addrsift-engines` shows how each engine calls it.
"""

import os
import subprocess
import tempfile
import threading

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

#: The fields of a verdict, in the order of `addrsift detect`. Other names of `--fields` may be asked for too.
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

#: Rows that are under way at a time; it bounds the memory that one call needs.
_SLICE_ROWS = 65_536
#: Bytes. A longer address is invalid whatever it contains, so no more of it is sent.
_ADDRESS_MAX = 65_536
#: Backslash comes first, because the others bring backslashes in. NUL becomes another control character, which has the
#: same verdict: the CSV reader of pyarrow before 26 overlooks a delimiter in the bytes after a NUL.
_ESCAPES = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\1"))
_LETTERS = {"t": "\t", "n": "\n", "r": "\r"}
_NULL = "\\N"


class AddrsiftError(RuntimeError):
    """addrsift ended, or its answer does not belong to what was asked. The message has what it said on standard
    error.
    """


class Addrsift:
    """One process of `addrsift detect`, which starts with the first address.

    `options` are options of `addrsift detect`, such as "--min-confidence", "confirmed". `fields` are the fields of a
    verdict. `command` is how addrsift is called, such as ("./sift/addrsift",) in an unpacked archive. Threads may share
    one; a process that got it by pickling or a fork starts an addrsift of its own.
    """

    def __init__(self, *options, fields=FIELDS, command=("addrsift",)):
        self._made_of = (tuple(options), tuple(fields), tuple(command))
        line = ["detect", "--quiet", "--part", "--tsv", "--column", "1", "--fields", ",".join(fields)]
        self._line = [*command, *line, *options]
        self.type = pa.struct([(name, pa.bool_() if name in _BOOLEANS else pa.string()) for name in fields])
        self._lock = threading.Lock()
        self._child = None

    def __reduce__(self):
        options, fields, command = self._made_of
        return _make, (options, fields, command)

    def __enter__(self):
        return self

    def __exit__(self, kind, _error, _trace):
        if kind is None:
            self.close()
        else:
            self._stop()

    def classify(self, emails):
        """The verdicts of an Array or ChunkedArray of addresses: as many structs of `self.type`, in order, null for
        null.

        A list, a pandas Series and what else pyarrow makes an array of gives an Array too. Raises AddrsiftError; the
        next call then starts addrsift again.
        """
        if isinstance(emails, pa.ChunkedArray):
            return pa.chunked_array([self.classify(chunk) for chunk in emails.chunks], self.type)
        if not isinstance(emails, pa.Array):
            emails = pa.array(emails, pa.string())
            # A Series whose column came in pieces.
            if isinstance(emails, pa.ChunkedArray):
                return self.classify(emails).combine_chunks()
        if pa.types.is_dictionary(emails.type):
            emails = emails.dictionary_decode()
        pieces = [emails.slice(at, _SLICE_ROWS) for at in range(0, len(emails), _SLICE_ROWS)]
        with self._lock:
            try:
                verdicts = [self._ask(piece.cast(pa.large_string())) for piece in pieces]
            except BaseException:
                # What is left in the pipes would be taken for the answer to the next question.
                self._stop()
                raise
        return pa.concat_arrays(verdicts) if verdicts else pa.array([], self.type)

    def close(self):
        """Ends addrsift. Raises AddrsiftError when it failed or gave more than it was asked for."""
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
                raise child.failure(f"it ended with status {status} and {len(rest)} bytes too many")
            child.complaints.close()

    def _stop(self):
        child, self._child = self._child, None
        if child is not None and child.owner == os.getpid():
            child.kill()
            child.wait()
            for stream in (child.stdin, child.stdout, child.complaints):
                stream.close()

    def _ask(self, emails):
        if self._child is None or self._child.owner != os.getpid():
            self._child = _Child(self._line)
        sent = _escaped(emails)
        answer = self._child.answer(_lines(sent), len(sent))
        table = _read(answer, self.type)
        # addrsift gives back what it was asked about, so a row that is at another place is seen.
        if table.num_rows != len(sent) or not table.column(0).combine_chunks().equals(sent):
            raise self._child.failure("its answer has other addresses than it was asked about")
        columns = [_unescaped(column.combine_chunks()) for column in table.columns[1:]]
        return pa.StructArray.from_arrays(columns, fields=list(self.type), mask=emails.is_null())


class _Child(subprocess.Popen):
    def __init__(self, line):
        self.complaints = tempfile.TemporaryFile()
        self.owner = os.getpid()
        try:
            super().__init__(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints, bufsize=0)
        except OSError as error:
            advice = "put addrsift on the path, or say with `command` where it is"
            raise self.failure(f"{line[0]} can't be started ({error.strerror}): {advice}") from error

    def answer(self, bytes, rows):
        """As many lines as were written. A thread writes, because both sides would wait for each other with
        full pipes.
        """
        writer = threading.Thread(target=self._write, args=(bytes,), daemon=True)
        writer.start()
        pieces, asked = [], rows
        try:
            while rows > 0:
                piece = self.stdout.read(1 << 20)
                if not piece:
                    ended = f"it ended with status {self.wait()}"
                    raise self.failure(f"{ended} before it had answered {rows} of {asked} rows")
                rows -= piece.count(b"\n")
                pieces.append(piece)
        except BaseException:
            self.kill()
            raise
        finally:
            writer.join()
        if rows < 0 or not piece.endswith(b"\n"):
            raise self.failure("it answered more rows than it was asked")
        return b"".join(pieces)

    def _write(self, bytes):
        try:
            while len(bytes) > 0:
                bytes = bytes[self.stdin.write(bytes) :]
        except OSError:
            pass  # It is gone: the reader sees the end of its output.

    def failure(self, what):
        self.complaints.seek(0)
        said = self.complaints.read().decode(errors="replace").strip()[-2000:]
        return AddrsiftError(f"addrsift: {what}" + (f": {said}" if said else ""))


def _make(options, fields, command):
    return Addrsift(*options, fields=fields, command=command)


def _escaped(emails):
    """The addresses as fields of tab-separated rows."""
    long = pc.greater(pc.binary_length(emails), _ADDRESS_MAX)
    if pc.any(long).as_py():
        emails = pc.if_else(long, "x" * (_ADDRESS_MAX + 1), emails).cast(pa.large_string())
    for plain, escape in _ESCAPES:
        emails = pc.replace_substring(emails, plain, escape)
    return emails


def _lines(fields):
    """The bytes of the rows."""
    empty, line_break = (pa.scalar(text, pa.large_string()) for text in ("", "\n"))
    text = pc.binary_join_element_wise(pc.fill_null(fields, _NULL), empty, line_break)
    _, offsets, bytes = text.buffers()
    if bytes is None:
        return memoryview(b"")
    ends = memoryview(offsets).cast("q")
    return memoryview(bytes)[ends[text.offset] : ends[text.offset + len(text)]]


def _read(answer, verdict):
    fields = list(verdict)
    return pyarrow.csv.read_csv(
        # A line before the first row, because a byte-order mark would be taken off the first bytes.
        pa.py_buffer(b"\n" + answer),
        # One block, so that each column is one array.
        pyarrow.csv.ReadOptions(
            column_names=["", *(field.name for field in fields)],
            skip_rows=1,
            use_threads=False,
            block_size=len(answer) + 2,
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


def _unescaped(column):
    if not pa.types.is_string(column.type):
        return column
    marked = pc.fill_null(pc.match_substring(column, "\\"), False)
    if not pc.any(marked).as_py():
        return column
    plain = [_unescape(text) for text in column.filter(marked).to_pylist()]
    return pc.replace_with_mask(column, marked, pa.array(plain, pa.string()))


def _unescape(text):
    first, *parts = text.split("\\")
    plain, parts = [first], iter(parts)
    for part in parts:
        # An empty part is between two backslashes, which stand for one.
        plain.append("\\" + next(parts, "") if part == "" else _LETTERS.get(part[0], part[0]) + part[1:])
    return "".join(plain)


#: What `kept` keeps for the life of a Python process, by its arguments.
_kept = {}


def kept(*options, fields=FIELDS, command=("addrsift",)):
    """The Addrsift of these arguments that this Python process keeps: for workers, which do one part after another.

    A start and the first rows cost as much as half a million later ones.
    """
    made_of = (tuple(options), tuple(fields), tuple(command))
    return _kept.setdefault(made_of, _make(*made_of))


def classify(df, column, *options, into="addrsift", fields=FIELDS, command=("addrsift",)):
    """PySpark 3.5 or later: the DataFrame with one more column, a struct of the fields, null where the address is null.

    Only the column of addresses leaves the JVM. A task that fails is tried again by Spark, and then fails the job.
    Executors need this file (`--py-files addrsift.py`) and addrsift. A Python worker keeps its addrsift for later
    tasks; both end together.
    """
    from collections.abc import Iterator

    from pyspark.sql import functions

    verdict = Addrsift(*options, fields=fields, command=command).type
    names = {pa.bool_(): "boolean", pa.string(): "string"}
    schema = ", ".join(f"{field.name} {names[field.type]}" for field in verdict)

    def detect(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for emails in batches:
            yield kept(*options, fields=fields, command=command).classify(emails)

    # PySpark 4.1 or later.
    if hasattr(functions, "arrow_udf"):
        udf = functions.arrow_udf(detect, schema)
    else:
        udf = _pandas_udf(detect, schema, verdict)
    # A deterministic function would be called once for each use of the struct.
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
