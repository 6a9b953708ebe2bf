import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Writes good files of every format, then reads the files that are named to it, one JSON answer a line. */
const program = String.raw`
import csv, datetime, io, json, math, os, struct, sys, warnings
import openpyxl, xlsxwriter
import pyarrow as pa, pyarrow.csv, pyarrow.ipc, pyarrow.parquet as pq

def text(at):
    return ["plain", "with, comma", 'say "x"', "two\nlines", "é ü 漢", "", None, "x" * 30][at % 8]

def table(rows):
    return pa.table({
        "k": pa.array([f"key-{at}" for at in range(rows)]),
        "n": pa.array([None if at % 7 == 3 else at * 37 - 1000 for at in range(rows)], pa.int32()),
        "f": pa.array([None if at % 11 == 5 else at / 3 for at in range(rows)], pa.float64()),
        "t": pa.array([text(at) for at in range(rows)]),
        "w": pa.array([None if at % 5 == 2 else 1700000000000 + at * 61001 for at in range(rows)], pa.timestamp("ms")),
        "c": pa.array(["red", "green", None, "blue"][at % 4] for at in range(rows)),
    })

def shown(value):
    return "" if value is None else value.isoformat(sep=" ", timespec="milliseconds") if hasattr(value, "isoformat") else value

# Texts within the cells, and texts that all cells share; a hidden sheet beside the table.
def make_workbooks(folder, names, rows):
    book = openpyxl.Workbook()
    for row in [names, *rows]:
        book.active.append(row)
    hidden = book.create_sheet("Notes")
    hidden.sheet_state = "hidden"
    hidden.append(["note"])
    hidden.append(["of nobody"])
    book.save(f"{folder}/inline.xlsx")
    with xlsxwriter.Workbook(f"{folder}/shared.xlsx", {"default_date_format": "yyyy-mm-dd hh:mm:ss.000"}) as book:
        sheet = book.add_worksheet("Table")
        for at, row in enumerate([names, *rows], 2):
            sheet.write_row(at, 1, row)
        book.add_worksheet("Notes").hide()

def make(folder):
    whole = table(300)
    for name, codec, dictionary in (("plain", "none", False), ("packed", "snappy", True), ("dense", "zstd", True)):
        pq.write_table(whole, f"{folder}/{name}.parquet", compression=codec, use_dictionary=dictionary, write_page_checksum=True, row_group_size=120)
    encoded = whole.set_column(5, "c", whole["c"].combine_chunks().dictionary_encode())
    for name, codec in (("plain", None), ("dense", "zstd"), ("packed", "lz4")):
        with pa.ipc.new_file(f"{folder}/{name}.arrow", encoded.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
            writer.write_table(encoded, max_chunksize=120)
    with pa.ipc.new_stream(f"{folder}/plain.arrows", encoded.schema) as writer:
        writer.write_table(encoded, max_chunksize=120)
    rows = whole.to_pylist()
    for name, quoting in (("plain", csv.QUOTE_MINIMAL), ("quoted", csv.QUOTE_ALL)):
        with open(f"{folder}/{name}.csv", "w", newline="", encoding="utf8") as out:
            writer = csv.writer(out, quoting=quoting, lineterminator="\n")
            writer.writerow(whole.column_names)
            writer.writerows([[shown(value) for value in row.values()] for row in rows])
    make_workbooks(folder, whole.column_names + ["day", "ok"], [[*row.values(), datetime.datetime(2024, 1, 1) + datetime.timedelta(at), at % 3 == 0] for at, row in enumerate(rows[:80])])
    plain = [{name: shown(value) if hasattr(value, "isoformat") else value for name, value in row.items()} for row in rows]
    with open(f"{folder}/list.json", "w", encoding="utf8") as out:
        json.dump(plain, out, ensure_ascii=False)
    with open(f"{folder}/lines.ndjson", "w", encoding="utf8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in plain)

def strict(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)

def read_json(data):
    rest = data.decode("utf8").lstrip("﻿").strip()
    decoder = json.JSONDecoder(object_pairs_hook=strict, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)), parse_int=str, parse_float=str)
    values = []
    while rest:
        value, end = decoder.raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    if not all(isinstance(value, dict) for value in values):
        raise ValueError("no records")
    names = list(dict.fromkeys(name for value in values for name in value))
    return names, [[value.get(name) for name in names] for value in values]

def columns(found):
    found.validate(full=True)
    cells = []
    for column in found.columns:
        if pa.types.is_timestamp(column.type) and column.type.unit in ("s", "ms"):
            cells.append([{"ms": value * (1000 if column.type.unit == "s" else 1)} if value is not None else None for value in column.cast(pa.int64()).to_pylist()])
        else:
            cells.append(column.to_pylist())
    return found.column_names, [list(row) for row in zip(*cells)]

# The first visible sheet that holds a value; of errors only #N/A is no value to us, the others are refused.
def read_workbook(data):
    for sheet in openpyxl.load_workbook(io.BytesIO(data), data_only=True).worksheets:
        rows = [[None if cell.data_type == "e" else cell.value for cell in row] for row in sheet.iter_rows()]
        rows = [row for row in rows if any(value not in (None, "") for value in row)]
        if sheet.sheet_state == "visible" and rows:
            held = [at for at in range(len(rows[0])) if any(row[at] not in (None, "") for row in rows)]
            return [str(rows[0][at]) for at in held], [[moment(row[at]) for at in held] for row in rows[1:]]
    raise ValueError("no visible sheet has rows")

def moment(value):
    if isinstance(value, datetime.datetime):
        return {"ms": round((value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(milliseconds=1))}
    return str(value) if type(value) is int and abs(value) > 2**53 else value

def read(path):
    checked = not path.startswith("unchecked ")
    path = path.removeprefix("unchecked ")
    with open(path, "rb") as file:
        data = file.read()
    if path.endswith(".parquet"):
        return columns(pq.read_table(pa.BufferReader(data), page_checksum_verification=checked))
    if path.endswith(".arrow"):
        return columns(pa.ipc.open_file(pa.BufferReader(data)).read_all())
    if path.endswith(".arrows"):
        return columns(pa.ipc.open_stream(pa.BufferReader(data)).read_all())
    if path.endswith(".xlsx"):
        return read_workbook(data)
    if path.endswith(".csv"):
        options = pa.csv.ParseOptions(newlines_in_values=True)
        names = pa.csv.read_csv(pa.BufferReader(data), parse_options=options).column_names
        if len(set(names)) < len(names):
            raise ValueError("a name twice")
        convert = pa.csv.ConvertOptions(column_types={name: pa.string() for name in names}, strings_can_be_null=False)
        return columns(pa.csv.read_csv(pa.BufferReader(data), parse_options=options, convert_options=convert))
    return read_json(data)

def plain(value):
    if isinstance(value, float) and not math.isfinite(value):
        return {"odd": str(value)}
    if isinstance(value, bytes):
        return {"odd": value.hex()}
    if isinstance(value, (list, dict)):
        return value if isinstance(value, dict) and set(value) == {"ms"} else {"odd": "nested"}
    return value if value is None or isinstance(value, (str, int, float, bool)) else {"odd": str(value)}

# What readers print of what they find is no answer.
warnings.simplefilter("ignore")
answers, sys.stdout = sys.stdout, open(os.devnull, "w")
make(sys.argv[1])
print(json.dumps({"ready": f"pyarrow {pa.__version__}, openpyxl {openpyxl.__version__}"}), file=answers, flush=True)
for line in sys.stdin:
    try:
        names, rows = read(line.rstrip("\n"))
        answer = {"names": names, "rows": [[plain(value) for value in row] for row in rows]}
    except BaseException as error:
        answer = {"refused": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), file=answers, flush=True)
`;

/** What the second reader makes of a value: plain, a time, or something that cannot be compared. */
export type Cell = string | number | boolean | null | { ms: number } | { odd: string };

export type SecondReading = { names: string[]; rows: Cell[][] } | { refused: string };

/** `unchecked`: without the checksums of Parquet pages. */
export type SecondReader = AsyncDisposable & { version: string; read(path: string, unchecked?: 'unchecked'): Promise<SecondReading> };

/**
 * A reader that is not ours: pyarrow, and openpyxl for workbooks, in an environment of its own below `folder`. It writes the good files
 * too. Fails where these cannot be installed.
 */
export async function startPyarrow(folder: string, goodFiles: string): Promise<SecondReader> {
  const run = promisify(execFile);
  const environment = join(folder, 'python');
  await run('python3', ['-m', 'venv', environment]);
  await run(join(environment, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', 'pyarrow', 'openpyxl', 'xlsxwriter'], {
    timeout: 300_000,
  });
  const start = async () => {
    const child = spawn(join(environment, 'bin', 'python'), ['-c', program, goodFiles], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done) throw new Error('the second reader does not start');
    return { child, lines, version: (JSON.parse(first.value) as { ready: string }).ready };
  };
  let running = await start();
  let queue: Promise<unknown> = Promise.resolve();
  const ask = async (path: string): Promise<SecondReading> => {
    running.child.stdin.write(`${path}\n`);
    const next = await running.lines.next();
    if (!next.done) return JSON.parse(next.value) as SecondReading;
    // Damaged bytes may end it: that is a refusal of its kind.
    running = await start();
    return { refused: 'the second reader died' };
  };
  return {
    version: running.version,
    read(path, unchecked) {
      const answer = queue.then(() => ask(unchecked ? `unchecked ${path}` : path));
      queue = answer.catch(() => undefined);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      running.child.stdin.end();
      await once(running.child, 'close');
    },
  };
}
