import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { queryFiles } from './columnar.ts';
import { partName } from './part-name.ts';
import { changesIn, partsOf, passesOver, readAll, writeIdPart, type TagOperation } from './tag-lists.ts';

/**
 * What a map says of a tag: folders of ids, those that have it under `with`, those that have it not under `without`. Undefined where the
 * map has no such tag, and so no point has it.
 */
export type TagOnMap = string | undefined;

export const onMap = (folder: string, has: boolean): string => join(folder, has ? 'with' : 'without');

const operations = ['add', 'remove'] as const;

/** SQL: what was found changed elsewhere right before an entry. */
export async function seenIn(folder: string, number: number): Promise<string[]> {
  const rows = await Promise.all(
    operations.map(async (operation) => changesIn({ number: number - 0.5, operation }, await partsOf(join(folder, operation)))),
  );
  return rows.flat();
}

export type Seeing = {
  /** SQL of what the record has until then. */
  known: readonly string[];
  /** Files of the points that are asked about. */
  listed: readonly string[];
  /** Files of points that entries under way may be changing: whose they are is not known. */
  open: readonly string[];
  map: TagOnMap;
  into: string;
  perPass: number;
};

/**
 * Writes which points stand on the map otherwise than the record has it: somebody else has tagged or untagged them. A point that is not on
 * the map stays as the record has it: the map does not show it.
 */
export async function writeSeen({ known, listed, open, map, into, perPass }: Seeing): Promise<void> {
  await rm(into, { recursive: true, force: true });
  const changes = known.length === 0 ? "(select '' as id, 0 as entry, '' as operation where false)" : `(${known.join(' union all ')})`;
  const [has, without] = map === undefined ? [[], []] : await Promise.all([partsOf(onMap(map, true)), partsOf(onMap(map, false))]);
  const points = readAll(listed);
  const passes = await passesOver(`(select id from ${points} union all select id from ${changes})`, perPass);
  for (let pass = 0; pass < passes; pass++) {
    const which = `hash(id) % ${passes} = ${pass}`;
    const among = (source: string): string => `(select * from ${source} where ${which} and id in (select id from listed))`;
    const rows = await queryFiles<{ id: string; operation: TagOperation }>(
      `with listed as materialized (select distinct id from ${points} where ${which}),
        had as materialized (select id from ${among(changes)} group by id having arg_max(operation, entry) = 'add'),
        has as materialized (select id from ${among(readAll(has))}),
        hidden as materialized (select id from ${among(readAll(open))})
      select id, 'add' as operation from has where id not in (select id from had) and id not in (select id from hidden)
      union all
      select id, 'remove' as operation from had where ${map === undefined ? 'true' : `id in (select id from ${among(readAll(without))})`} and id not in (select id from hidden)`,
    );
    for (const operation of operations) {
      const ids = rows.flatMap((row) => (row.operation === operation ? [row.id] : []));
      if (ids.length > 0) await writeIdPart(join(into, operation, partName(pass)), ids);
    }
  }
}
