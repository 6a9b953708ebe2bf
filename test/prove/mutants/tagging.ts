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
    ...record,
    find: 'return [...parts.flat(), ...seen.flat()];',
    replace: 'return parts.flat();',
    rule: 'a tag that was set elsewhere is there again when its removal is taken back',
    title: 'a removal takes a tag that was set elsewhere',
  },
  {
    ...record,
    find: 'since.filter(isOpen)',
    replace: 'since.filter(() => false)',
    rule: 'what a step that is under way sends is not taken for a change of somebody else',
    test: 'test/store/tag-record.test.ts',
    title: 'is not taken for a change of somebody else',
  },
  {
    ...record,
    find: 'each.number >= asks || (each.undoing && !each.undone)',
    replace: 'each.number >= asks',
    rule: 'what is being taken back is not taken for a change of somebody else',
    test: 'test/store/tag-record.test.ts',
    title: 'nobody else’s change either',
  },
  {
    file: 'store/tag-seen.ts',
    test,
    find: "map === undefined ? 'true' :",
    replace: "map === undefined ? 'false' :",
    rule: 'a tag that the map does not have any more is at no point',
    title: 'a tag that was deleted elsewhere',
  },
  {
    file: 'activities/points/see-tag.ts',
    test,
    find: 'const every = look.entries.some(({ number }) => number !== entry);',
    replace: 'const every = false;',
    rule: 'a tag that somebody else took away is missed',
    title: 'a tag that somebody has taken from all of its points',
  },
  {
    file: 'activities/points/read-tag.ts',
    test,
    find: '!isNowhere && (await mapFacts(context, map)).version !== facts.version',
    replace: 'isNowhere',
    rule: 'tiles from before and after an update of the map are not put together',
    title: 'a map that was updated while it was read',
  },
  {
    file: 'activities/points/read-tag.ts',
    test,
    find: '(error instanceof ApiError && !error.retryable) ||',
    replace: '',
    rule: 'a service that does not say which points have a tag is tagged all the same',
    title: 'where the service does not say',
  },
  {
    ...tag,
    find: '(!seen || (await isThere(known)))',
    replace: 'true',
    rule: 'what an earlier run did is sent again where others have changed it since',
    title: 'a removal that an earlier run has done',
  },
  {
    ...tag,
    find: "if (entry === undefined && operation === 'add') changed = -missing;",
    replace: 'if (entry === undefined) changed = -missing;',
    rule: 'a dry run of a removal counts the points that would lose the tag',
    title: 'a removal takes a tag that was set elsewhere',
  },
  {
    ...tag,
    find: 'changed: state.seen ? Math.max(0, changed) : null,',
    replace: 'changed: Math.max(0, changed),',
    rule: 'how many points change is not known where the service does not say which have the tag',
    title: 'where the service does not say',
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
