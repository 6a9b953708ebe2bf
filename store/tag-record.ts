import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOnce, writeWhole } from '../files/whole-file.ts';
import { literal } from '../text/sql.ts';
import { queryFiles, streamFiles } from './columnar.ts';
import { createRunStore } from './create-run-store.ts';
import { jsonIn } from './json-file.ts';
import { readKeptView } from './kept-view.ts';
import { partName } from './part-name.ts';
import type { RunStore } from './run-store.ts';
import { namesIn } from './names-in.ts';
import { sharedFolder } from './shared-folder.ts';
import { changesIn, partsOf, passesOver, readAll, writeIdPart, type TagOperation } from './tag-lists.ts';
import { seenIn, writeSeen, type TagOnMap } from './tag-seen.ts';

/** A tag of a map, as a connection names its service. */
export type TagName = { connection: string; url: string; map: string; tag: string };

/** A step that changed a tag, as the record has it; `number` counts from 1 in the order in which they began. */
export type TagEntry = {
  number: number;
  run: string;
  step: string;
  operation: TagOperation;
  /** Hash and length of its list of points. */
  points: string;
  /** Entries whose run it continues: their points are its own. */
  continues?: number[];
  /** An entry that had done the same to the same points: nothing was sent, and its points are meant. */
  as?: number;
  /** All of its points are done. */
  whole: boolean;
  /** It is being taken back, or was. */
  undoing: boolean;
  undone: boolean;
  /** The map was asked which of its points had the tag, before the first of them was sent. */
  seen: boolean;
};

type Kept = Pick<TagEntry, 'run' | 'step' | 'operation' | 'points' | 'continues' | 'as'>;

/** What a run keeps of its step: where the record has it. A dry run is in none. */
export type TagStep = { dryRun: true } | { dryRun: false; name: TagName; number: number };

/** An entry; or an id list of the run store, as the entry that it would be, with the folder of what was seen before it. */
type ChangeOf = { number: number } | { operation: TagOperation; list: string; seen: string };

/** What the record has when a map is asked: which of its entries have changed all that they will. `number`: of the entry that asks. */
export type TagLook = { number: number; entries: readonly TagEntry[]; settled: ReadonlySet<number> };

const isKept = (found: Partial<Kept> | null): boolean =>
  [found?.run, found?.step, found?.points].every((each) => typeof each === 'string') &&
  (found?.operation === 'add' || found?.operation === 'remove');

/** An entry that is taken away instead would be of no step, and its number that of another one: an undo would take back what is not its own. */
const writtenAnew = (number: number): string =>
  `write it anew: {"run":"RUN","step":"STEP","operation":"add","points":""}, of the run and step whose RUN/tags/STEP.json says number ${number} of this tag; "remove" where the step removed the tag; of a rerun that went on with entries 1 and 2 also "continues":[1,2]`;

const padded = (number: number): string => String(number).padStart(8, '0');

/** Rows of one query over the lists. The ids among them are held: 110 MB for 250,000, 290 MB for a million. */
const rowsPerPass = 100_000;

const stepFile = (step: string): string => `tags/${step}.json`;

export const keepTagStep = (store: Pick<RunStore, 'writeJson'>, step: string, kept: TagStep): Promise<void> =>
  store.writeJson(stepFile(step), kept);

/** What another run of the store kept of its step; undefined where its folder is gone, or the step did not begin. */
export const tagStepOf = (store: Pick<RunStore, 'path'>, { run, step }: { run: string; step: string }): Promise<TagStep | undefined> =>
  createRunStore(join(dirname(store.path()), run)).readJson<TagStep>(stepFile(step));

/** `goesOn`: whether a run may still change points whose folder says no end of it; default: it may. */
export type TagRecordOptions = { perPass?: number; goesOn?: (run: string) => Promise<boolean> };

/**
 * What all runs of a store did to one tag of a map, an entry for each step with the ids that it sent; and before each what the map had
 * otherwise than the record, which others have changed. Which points a step alone has changed follows from it: those that would stand
 * otherwise, had its entry not been.
 */
export function openTagRecord(
  store: Pick<RunStore, 'path'>,
  name: TagName,
  { perPass = rowsPerPass, goesOn = async () => true }: TagRecordOptions = {},
) {
  const hash = createHash('sha256').update(JSON.stringify([name.connection, name.url, name.map, name.tag]));
  const folder = join(sharedFolder(dirname(store.path()), 'tags'), hash.digest('hex').slice(0, 32));
  const idsOf = (number: number): string => join(folder, padded(number));
  const fileOf = (number: number, what: 'json' | 'whole' | 'undoing' | 'undone' | 'seen'): string =>
    join(folder, `${padded(number)}.${what}`);
  const elsewhereOf = (number: number): string => join(folder, `${padded(number)}.elsewhere`);

  const readKept = async (number: number): Promise<Kept> => {
    const file = fileOf(number, 'json');
    return jsonIn<Kept>(await readFile(file, 'utf8'), file, { is: isKept, without: writtenAnew(number) });
  };

  const entries = async (): Promise<TagEntry[]> => {
    const names = new Set(await namesIn(folder));
    const numbers = [...names].filter((each) => /^\d{8}\.json$/.test(each)).sort();
    return Promise.all(
      numbers.map(async (file) => {
        const number = Number.parseInt(file, 10);
        const kept = await readKept(number);
        const is = (what: string): boolean => names.has(`${padded(number)}.${what}`);
        return { number, ...kept, whole: is('whole'), undoing: is('undoing'), undone: is('undone'), seen: is('seen') };
      }),
    );
  };

  /** The Parquet files of the points of an entry. */
  const filesOf = async ({ number, continues = [], as }: TagEntry): Promise<string[]> => {
    return (await Promise.all([...continues, as ?? number].map((each) => partsOf(idsOf(each))))).flat();
  };

  /**
   * SQL: every change of the tag that stands, an entry's number, its operation and an id a row; those that were taken back or are another's
   * do not. What others had changed before an entry stands also where that was taken back.
   */
  const changes = async (all: readonly TagEntry[]): Promise<string[]> => {
    const taken = new Set(all.flatMap(({ continues = [] }) => continues));
    const standing = all.filter(({ undone, number }) => !undone && !taken.has(number));
    const parts = await Promise.all(standing.map(async (entry) => changesIn(entry, await filesOf(entry))));
    const seen = await Promise.all(all.filter((entry) => entry.seen).map(({ number }) => seenIn(elsewhereOf(number), number)));
    return [...parts.flat(), ...seen.flat()];
  };

  /** Whether a run has ended: a run has its folder before it changes anything, and none only when it was removed after its end. */
  const hasEnded = async (run: string): Promise<boolean> => {
    const folder = createRunStore(join(dirname(store.path()), run));
    return !existsSync(folder.path()) || (await readKeptView(folder)) !== undefined || !(await goesOn(run));
  };

  /**
   * Entries without those that others are taking back now: of two that are taken back side by side each would leave to the other what both
   * have done. One whose undo has ended half-way stands.
   */
  const withoutGoing = async (all: readonly TagEntry[], number: number): Promise<TagEntry[]> => {
    const goes = await Promise.all(
      all.map(async (each) => {
        if (each.number === number || !each.undoing || each.undone) return false;
        return !(await hasEnded((await readFile(fileOf(each.number, 'undoing'), 'utf8')).trim()));
      }),
    );
    return all.filter((_, at) => !goes[at]);
  };

  /** SQL: ids that have the tag, or have it not, because of one of these entries alone; some of them in each query. */
  const changedIn = async (all: readonly TagEntry[], of: ChangeOf, among?: readonly string[]): Promise<string[]> => {
    const number = 'number' in of ? of.number : (all.at(-1)?.number ?? 0) + 1;
    const listed = 'list' in of ? await partsOf(fileURLToPath(of.list)) : [];
    const own = 'list' in of ? listed : await filesOf(all.find((each) => each.number === number)!);
    const asked = 'list' in of ? [...changesIn({ number, operation: of.operation }, listed), ...(await seenIn(of.seen, number))] : [];
    const rows = [...(await changes(all)), ...asked].join(' union all ');
    if (own.length === 0 || rows === '') return [];
    // Of some ids no more than these are held.
    const passes = among === undefined ? await passesOver(`(${rows})`, perPass) : 1;
    const chosen = among === undefined ? '' : ` and id in (select unnest(from_json(${literal(JSON.stringify(among))}, '["VARCHAR"]')))`;
    return Array.from({ length: passes }, (_, pass) => {
      const which = `hash(id) % ${passes} = ${pass}${chosen}`;
      return `select id from (select * from (${rows}) where ${which} and id in (select id from ${readAll(own)} where ${which})) group by id
        having bool_or(entry = ${number})
        and coalesce(arg_max(operation, entry) filter (where entry <> ${number}), 'remove') <> arg_max(operation, entry)`;
    });
  };

  return {
    entries,
    /** Begins an entry, or goes on with the one of an earlier attempt of the same step. `former`: what the step was in earlier runs. */
    async begin(entry: Omit<Kept, 'continues' | 'as'>, former: readonly Pick<TagEntry, 'run' | 'step'>[] = []): Promise<number> {
      for (;;) {
        const all = await entries();
        const own = all.findLast(({ run, step, undone }) => run === entry.run && step === entry.step && !undone);
        if (own?.operation === entry.operation) return own.number;
        // What a run that is continued has begun and not ended is ended by this one.
        const continues = all
          .filter(
            ({ run, step, operation, whole, undone }) =>
              former.some((was) => was.run === run && was.step === step) && operation === entry.operation && !whole && !undone,
          )
          .flatMap((each) => [...(each.continues ?? []), each.number]);
        const number = (all.at(-1)?.number ?? 0) + 1;
        await mkdir(folder, { recursive: true });
        const kept: Kept = { ...entry, ...(continues.length > 0 && { continues }) };
        if (await writeOnce(fileOf(number, 'json'), `${JSON.stringify(kept)}\n`)) return number;
      }
    },
    /** The points of one chunk of an entry, before they are sent; the same chunk again replaces them. */
    points: (number: number, chunk: number, ids: readonly string[]): Promise<void> =>
      writeIdPart(join(idsOf(number), partName(chunk)), ids),
    /** Says of an entry that another one had done the same and nothing is sent; or that it is not so. Returns whether it is so. */
    async stands(number: number, as: number | undefined): Promise<boolean> {
      const { as: was, ...kept } = await readKept(number);
      const say = (more: object): Promise<void> => writeWhole(fileOf(number, 'json'), `${JSON.stringify({ ...kept, ...more })}\n`);
      if (was !== as) await say(as === undefined ? {} : { as });
      if (as === undefined) return false;
      // Asked after it was said: whoever begins to take that one back from here on leaves these points.
      const other = (await entries()).find((each) => each.number === as);
      if (other && !other.undoing && !other.undone) return true;
      await say({});
      return false;
    },
    /** Whether any entry is being taken back; also one whose undo has ended half-way. */
    async isTakenBack(): Promise<boolean> {
      const names = new Set(await namesIn(folder));
      return [...names].some((each) => each.endsWith('.undoing') && !names.has(each.replace('.undoing', '.undone')));
    },
    /**
     * The newest entry, where all but this one, and those that it went on with, have changed what they will: until another one begins
     * nothing is to be asked anew. Undefined where one may still change points.
     */
    async quietBeside(number: number): Promise<number | undefined> {
      const all = await entries();
      const { continues = [] } = all.find((each) => each.number === number)!;
      for (const each of all) {
        if (each.number === number || continues.includes(each.number) || each.undone) continue;
        // One that stands as another may have to send its points after all.
        if (each.undoing || !(each.whole || (await hasEnded(each.run)))) return undefined;
      }
      return all.at(-1)!.number;
    },
    /** To be asked for before the map is read: what changes meanwhile is not known to be anybody's. Without a number: of one that would be. */
    async look(number?: number): Promise<TagLook> {
      const all = await entries();
      const asks = number ?? (all.at(-1)?.number ?? 0) + 1;
      const settled = new Set<number>();
      for (const each of all) {
        if (each.number >= asks || (each.undoing && !each.undone)) continue;
        if (each.undone || each.whole || each.as !== undefined || (await hasEnded(each.run))) settled.add(each.number);
      }
      return { number: asks, entries: all, settled };
    },
    /** Keeps which of these points (an id list) the map has otherwise than the record. `into`: of an entry that would be. */
    async see(look: TagLook, list: string, map: TagOnMap, into?: string): Promise<void> {
      const { number } = look;
      const listed = await partsOf(fileURLToPath(list));
      const since = await entries();
      const isOpen = (each: TagEntry): boolean =>
        each.number !== number &&
        (!look.settled.has(each.number) || (each.undoing && !look.entries.some((was) => was.number === each.number && was.undoing)));
      const open = (await Promise.all(since.filter(isOpen).map(filesOf))).flat();
      const known = await changes(look.entries.filter((each) => each.number < number));
      await writeSeen({ known, listed, open, map, into: into ?? elsewhereOf(number), perPass });
      if (into === undefined) await writeWhole(fileOf(number, 'seen'), '');
    },
    /** How many of these points have the tag, as was seen before an entry. */
    async countTagged(number: number, list: string): Promise<number> {
      const before = (await entries()).filter((each) => each.number < number);
      const known = [...(await changes(before)), ...(await seenIn(elsewhereOf(number), number))];
      const listed = await partsOf(fileURLToPath(list));
      if (known.length === 0 || listed.length === 0) return 0;
      const rows = `(${known.join(' union all ')})`;
      const passes = await passesOver(rows, perPass);
      let ids = 0;
      for (let pass = 0; pass < passes; pass++) {
        const which = `hash(id) % ${passes} = ${pass}`;
        const [counted] = await queryFiles<{ ids: number }>(
          `select count(*)::double as ids from (select id from ${rows} where ${which} and id in (select id from ${readAll(listed)} where ${which})
            group by id having arg_max(operation, entry) = 'add')`,
        );
        ids += counted!.ids;
      }
      return ids;
    },
    /** Points of an entry, each once. */
    async count(number: number): Promise<number> {
      const files = await filesOf((await entries()).find((each) => each.number === number)!);
      if (files.length === 0) return 0;
      const source = readAll(files);
      const passes = await passesOver(source, perPass);
      let ids = 0;
      for (let pass = 0; pass < passes; pass++) {
        const [counted] = await queryFiles<{ ids: number }>(
          `select count(distinct id)::double as ids from ${source} where hash(id) % ${passes} = ${pass}`,
        );
        ids += counted!.ids;
      }
      return ids;
    },
    end: (number: number): Promise<void> => writeWhole(fileOf(number, 'whole'), ''),
    /** Says that an entry is being taken back, or was, and with it those that it went on with. */
    async takeBack(number: number, by: string, is: 'undoing' | 'undone'): Promise<void> {
      const { continues = [] } = (await entries()).find((each) => each.number === number) ?? {};
      for (const each of [...continues, number]) await writeWhole(fileOf(each, is), `${by}\n`);
    },
    /** The entry that did the same to the same points, and stands. */
    same: async ({ operation, points }: Pick<TagEntry, 'operation' | 'points'>): Promise<TagEntry | undefined> =>
      (await entries()).findLast(
        (each) => each.operation === operation && each.points === points && each.as === undefined && each.whole && !each.undone,
      ),
    /**
     * Ids that have the tag, or have it not, because of this entry alone, in batches in the same order each time: what is to be taken back
     * of one that `takeBack` has named. `among`: only of these ids.
     */
    async *changed({ number }: { number: number }, among?: readonly string[]): AsyncGenerator<string[], void, undefined> {
      for (const ids of await changedIn(await withoutGoing(await entries(), number), { number }, among))
        yield* batched(streamFiles<{ id: string }>(`${ids} order by id`));
    },
    /** How many they are: numbers that add up to it, one after each part of the work. */
    async *countChanged(of: ChangeOf): AsyncGenerator<number, void, undefined> {
      for (const ids of await changedIn(await entries(), of)) {
        const [counted] = await queryFiles<{ ids: number }>(`select count(*)::double as ids from (${ids})`);
        yield counted!.ids;
      }
    },
  };
}

export type TagRecord = ReturnType<typeof openTagRecord>;

async function* batched(rows: AsyncIterable<{ id: string }[]>): AsyncGenerator<string[], void, undefined> {
  for await (const batch of rows) yield batch.map(({ id }) => id);
}
