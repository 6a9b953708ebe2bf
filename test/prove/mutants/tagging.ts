import type { Mutant } from './mutant.ts';

const test = 'test/activities/points-tag.test.ts';
const record = { file: 'store/tag-record.ts', test } as const;
const restore = { file: 'activities/points/restore.ts', test } as const;
const tag = { file: 'activities/points/tag.ts', test } as const;

/** Rules of tagging in bulk and of taking it back. */
export const tagging: readonly Mutant[] = [
  {
    ...record,
    find: 'const which = `hash(id) % ${passes} = ${pass}${chosen}`;',
    replace: 'const which = `true${chosen}`;',
    rule: 'a point that a step has changed comes once, in however many passes',
    test: 'test/store/tag-record.test.ts',
  },
  {
    ...record,
    find: 'as ids from ${source} where hash(id) % ${passes} = ${pass}`',
    replace: 'as ids from ${source}`',
    rule: 'a point of an entry counts once, in however many passes',
    test: 'test/store/tag-record.test.ts',
  },
  {
    ...record,
    find: "coalesce(arg_max(operation, entry) filter (where entry <> ${number}), 'remove') <> arg_max(operation, entry)",
    replace: 'true',
    rule: 'a point that had the tag before keeps it when a run is taken back',
  },
  {
    ...record,
    find: '[...continues, as ?? number]',
    replace: '[...continues, number]',
    rule: 'a run that found its points tagged holds them all the same',
  },
  {
    ...record,
    find: '!undone && !taken.has(number)',
    replace: '!taken.has(number)',
    rule: 'what was taken back holds no point any more',
  },
  {
    ...record,
    find: 'former.includes(run) && step === entry.step',
    replace: "former.includes('') && step === entry.step",
    rule: 'a run that goes on with another takes its points over',
    title: 'takes its points over',
  },
  {
    ...restore,
    find: 'if ((await record.entries()).at(-1)!.number === newest) return ids;',
    replace: 'if (newest > 0) return ids;',
    rule: 'what another run tags while a step is taken back keeps the tag',
  },
  {
    ...restore,
    find: 'refuseContinued(entries, entry, of);',
    replace: '',
    rule: 'what a later run went on with is taken back with that one',
  },
  {
    ...restore,
    find: 'if (points.count > 0) await tagMemory(context, { tag, operation, version, map, points }).begin();',
    replace: '',
    rule: 'what was taken back is not known to be there',
  },
  {
    ...tag,
    find: '    await kept(ids);\n',
    replace: '',
    rule: 'the ids of a chunk are in the record before they are sent',
  },
  {
    ...tag,
    find: '      tellMissing(context, missing, { attempts: context.attempt });\n',
    replace: '',
    rule: 'a dry run names the ids that there are not',
  },
  {
    file: 'activities/points/list.ts',
    find: '[[...new Set(ids)]]',
    replace: '[ids]',
    rule: 'ids that are listed twice are one point',
    test: 'test/activities/points.test.ts',
  },
  {
    file: 'activities/points/search.ts',
    find: 'name !== idField || asked.has(name)',
    replace: 'name !== idField',
    rule: 'a search without fields gives ids',
    test: 'test/activities/points.test.ts',
  },
];
