import { open } from 'node:fs/promises';
import type { Engine } from './engine.ts';
import { identifier, literal } from './sql.ts';
import { BadInput } from './tables.ts';

// No line is skipped or taken for a comment: the sniffer would drop rows without a word.
const options = `sample_size = -1, skip = 0, comment = '', compression = 'none'`;

type Sniffed = { HasHeader: boolean; Columns: { name: string; type: string }[] };

async function firstLine(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const head = Buffer.alloc(4_096);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head
      .subarray(0, bytesRead)
      .toString('utf8')
      .split(/\r?\n/, 1)[0]!
      .replace(/^\uFEFF/, '')
      .trim();
  } finally {
    await handle.close();
  }
}

/** SQL that reads a CSV or TSV file, its dialect and types sniffed from the whole file. */
export async function csvRelation(file: string, engine: Engine): Promise<string> {
  const [row] = await engine.rows(`from sniff_csv(${literal(file)}, ${options})`);
  const { HasHeader: header, Columns: columns } = row as Sniffed;
  // Ragged rows look to the sniffer like one column that holds the delimiters; a quoted name may hold them.
  if (columns.length === 1 && /[,;\t|]/.test(await firstLine(file)) && !/^"[^"]*"$/.test(await firstLine(file)))
    throw new BadInput('bad_input', 'rows have different numbers of columns');
  const read = (types: string[]): string =>
    `read_csv(${literal(file)}, ${options}, header = ${header}${types.length === 0 ? '' : `, types = {${types.map((name) => `${identifier(name)}: 'VARCHAR'`).join(', ')}}`})`;
  const floats = columns.flatMap(({ name, type }) => (type === 'DOUBLE' ? [name] : []));
  if (floats.length === 0) return read([]);
  // Whole numbers beyond 64 bits are sniffed as floats, which would change the digits of a long id.
  const long = floats.map(
    (name, at) => `coalesce(bool_or(regexp_full_match(${identifier(name)}, '\\s*[-+]?[0-9]{16,}\\s*')), false) as c${at}`,
  );
  const [seen] = await engine.rows(`select ${long.join(', ')} from ${read(floats)}`);
  return read(floats.filter((_, at) => seen![`c${at}`] === true));
}
