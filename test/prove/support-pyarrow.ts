import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Writes good files of every format, then reads the files that are named to it, one JSON answer a line. */
const program = String.raw`
import csv, io, json, math, struct, sys
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

make(sys.argv[1])
print(json.dumps({"ready": pa.__version__}), flush=True)
for line in sys.stdin:
    try:
        names, rows = read(line.rstrip("\n"))
        answer = {"names": names, "rows": [[plain(value) for value in row] for row in rows]}
    except BaseException as error:
        answer = {"refused": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
`;

/** What the second reader makes of a value: plain, a time, or something that cannot be compared. */
export type Cell = string | number | boolean | null | { ms: number } | { odd: string };

export type SecondReading = { names: string[]; rows: Cell[][] } | { refused: string };

/** `unchecked`: without the checksums of Parquet pages. */
export type SecondReader = AsyncDisposable & { version: string; read(path: string, unchecked?: 'unchecked'): Promise<SecondReading> };

/**
 * A reader that is not ours: pyarrow, in an environment of its own below `folder`, where it writes the good files too. Fails where
 * it cannot be installed.
 */
export async function startPyarrow(folder: string, goodFiles: string): Promise<SecondReader> {
  const run = promisify(execFile);
  const environment = join(folder, 'python');
  await run('python3', ['-m', 'venv', environment]);
  await run(join(environment, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', 'pyarrow'], { timeout: 300_000 });
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
