import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { familyOf } from '../../child/inside/rows/column-types.ts';

/** Public hostile files, beside the checkout or where PORTOLAN_CORPUS says; without them there is nothing to try. */
export const corpusFolder = process.env['PORTOLAN_CORPUS'] ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));

export type CorpusFile = {
  family: string;
  /** Where it is. */
  path: string;
  /** Where it comes from: repository and path there. */
  origin: string;
};

/** The files that the manifest names and that are there; none where the corpus is absent. */
export async function corpusFiles(folder = corpusFolder): Promise<CorpusFile[]> {
  const text = await readFile(join(folder, 'MANIFEST.tsv'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [family, file, , repository, , origin] = line.split('\t');
      if (origin === undefined) return [];
      const path = join(folder, family!, file!);
      return existsSync(path) ? [{ family: family!, path, origin: `${repository}/${origin}` }] : [];
    });
}

/** Endings by which a file is taken for what its family says, where its own says nothing. */
const endings: Record<string, string> = { parquet: '.parquet', csv: '.csv', json: '.json', pdf: '.pdf', yaml: '.yaml' };
const known = /\.(parquet|csv|tsv|json|jsonl|ndjson|pdf|yaml|stream|gz)$/;

/** A link under which a file is opened as what its family says: a fuzzed file has no ending of its own. */
export async function linked({ family, path, origin }: CorpusFile, folder: string): Promise<string> {
  const name = basename(path);
  if (known.test(name)) return path;
  const link = join(folder, `${name}${endings[family] ?? (/ipc-stream/.test(origin) ? '.stream' : '.arrow')}`);
  await symlink(path, link).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return link;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Columns under which every value of a source is decoded and converted: what a dataset has no place for is cast to text. */
export function castAll(columns: { name: string; type: string }[]): Record<string, string> {
  return Object.fromEntries(
    columns.map(({ name, type }, at) => {
      const cast =
        type === 'BLOB' ? `hex(${quoted(name)})` : type === 'BOOLEAN' ? `${quoted(name)}::varchar` : `to_json(${quoted(name)})::varchar`;
      return [`c${at}`, familyOf(type) ? name : cast];
    }),
  );
}

/** Ours, the ending and the place say that it is to be read: not a fuzzer's, and not kept by its project because it is broken. */
export function isValid({ family, origin }: CorpusFile): boolean {
  if (family === 'arrow') return /ipc-stream\/integration\/.*\.(stream|arrow_file)$/.test(origin);
  if (family !== 'parquet' || !origin.endsWith('.parquet')) return false;
  return (
    !/\/(bad_data|fuzzing|encoding-fuzzing|broken|afl)\//.test(origin) &&
    // What is encrypted is read by nobody without its key.
    !/broken|invalid|corrupt|malicious|bad_|fuzz|crypt/.test(basename(origin))
  );
}

/** The refusal of a feature by its name, not of damage. */
export const namesFeature = /not supported|only supported|unsupported/i;

/** The YAML texts inside a file of the YAML test suite, its visible marks turned into what they stand for. */
export async function yamlTexts({ path }: CorpusFile): Promise<string[]> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  const texts: string[] = [];
  for (const [at, text] of lines.entries()) {
    if (!/^ {2}yaml: \|/.test(text)) continue;
    const rest = lines.slice(at + 1);
    const end = rest.findIndex((next) => next !== '' && !next.startsWith('    '));
    const block = rest.slice(0, end < 0 ? undefined : end).map((next) => next.slice(4));
    texts.push(block.join('\n').replace(/␣/g, ' ').replace(/—*»/g, '\t').replace(/⇔/g, '\uFEFF').replace(/←/g, '\r').replace(/∎\n?$/g, ''));
  }
  return texts;
}
