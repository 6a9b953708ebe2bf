import { isAbsolute, join, relative } from 'node:path';
import type { Preview } from '../../child/preview.ts';
import { sourceBytes } from '../../child/source-files.ts';
import { loadConfig } from '../../config/load.ts';
import { isRemote, pathOf } from '../../pipelines/source-name.ts';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { bytes, counted } from '../../text/units.ts';
import type { VerbContext } from '../frame/verb.ts';
import { plain } from '../../text/controls.ts';
import { landHere } from '../start/land-here.ts';
import { lookForTable } from '../start/look-for-table.ts';
import { lendTables } from '../start/lent-tables.ts';
import { fileSpec, type GivenOptions } from '../start/source-options.ts';
import { tableFacts } from './facts.ts';
import { guess, type Guess } from './guess.ts';
import { firstPipeline, slugOf } from './write.ts';

/** A table of more bytes takes seconds to read: that is said. */
const quietBytes = 20_000_000;

type Context = Pick<VerbContext, 'cwd' | 'terminal' | 'signal'> & {
  options: GivenOptions & { readonly name?: string | undefined };
};

/** The file of a first pipeline for a table: where it goes, its text, and what was guessed. Fails with `BadInput` where it is no table. */
export async function makePipeline(
  from: string,
  { cwd, options, terminal, signal }: Context,
): Promise<{ path: string; text: string; said: string }> {
  const file = fileSpec(from, options, cwd);
  await lookForTable(file, cwd);
  const size = await sourceBytes(file);
  if (size > quietBytes) terminal.err(`reading ${from} (${bytes(size)}) …\n`);
  await using tables = lendTables({ land: isRemote(file) ? landHere(await loadConfig(cwd), { terminal, signal }) : undefined, signal });
  const facts = await tableFacts(await tables.get(), file, { rows: 0, signal });
  const name = options.name ?? slugOf(nameIn(file));
  const guessed = guess(facts);
  const { rows } = facts.found;
  return {
    path: join('pipelines', `${name}.yaml`),
    text: firstPipeline({ name, shown: from, source: fromPipelines(file, cwd), rows, guess: guessed }),
    said: said(facts.found, guessed),
  };
}

/** What a pipeline is named by where nobody says it: the path of a file, or the name of a database. */
const nameIn = (file: FileSpec): string => {
  if (typeof file === 'object' && 'postgres' in file) return file.postgres;
  return isRemote(file) ? new URL(pathOf(file)).pathname : pathOf(file);
};

/** A path of the project is written from the folder of the pipeline; another, and an address, as it is. */
function fromPipelines(file: FileSpec, cwd: string): FileSpec {
  if (isRemote(file)) return file;
  const inside = relative(cwd, pathOf(file));
  const path = inside.startsWith('..') || isAbsolute(inside) ? pathOf(file) : `../${inside}`;
  return typeof file === 'string' ? path : { ...file, path };
}

function said({ rows, hints }: Preview, { id, embed, columns, leftOut }: Guess): string {
  const lines = [
    `  rows     ${counted(rows, 'row')}, ${counted(columns.length, 'column')} of the dataset`,
    `  id       ${id.column ?? 'of the row'}: ${id.because}`,
    `  embed    ${embed.column === undefined ? '' : `${embed.column}: `}${embed.because}`,
    ...leftOut.map(({ name, because }) => `  left out ${name}: ${because}`),
    ...hints.map(({ column, message }) => `  note     ${column}: ${message}`),
    '  these are guesses; portolan preview FILE shows the table, and the file says where each of them stands',
  ];
  return `${lines.map(plain).join('\n')}\n`;
}
