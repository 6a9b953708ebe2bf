import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../frame/errors.ts';
import { writeOnce } from '../../files/whole-file.ts';

const pipeline = 'pipelines/ingest.yaml';
const records = 'data/words.json';

/** A file of the package, from its compiled code or from the sources of a checkout. */
function ofPackage(...places: string[]): string {
  const found = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (found === undefined) throw new CommandError('the records of the demo are not built here', { remedy: 'in a checkout: npm run build' });
  return found;
}

/**
 * The demo's pipeline, from the folder of the project: in a checkout its own files, elsewhere copies of what the package brings, in a
 * folder `demo`. Nothing is overwritten.
 */
export async function demoPipeline(cwd: string): Promise<string> {
  if ([pipeline, records].every((name) => existsSync(join(cwd, name)))) return pipeline;
  const text = await readFile(ofPackage('../../../pipelines/ingest.yaml', '../../pipelines/ingest.yaml'), 'utf8');
  // Where the schema is, only a checkout knows.
  await writeOnce(join(cwd, 'demo', pipeline), text.replace(/^# yaml-language-server.*\n/, ''));
  for (const name of ['words.json', 'WORDNET-LICENSE'])
    await writeOnce(join(cwd, 'demo', 'data', name), await readFile(ofPackage(`../../demo/${name}`, `../../dist/demo/${name}`), 'utf8'));
  return join('demo', pipeline);
}
