import type { Mutant } from './mutant.ts';

const reads = { file: 'cli/probe/read-probes.ts', test: 'test/cli/probe.test.ts', title: 'reads' } as const;
const writes = { file: 'cli/probe/scratch-probes.ts', test: 'test/cli/probe.test.ts', title: 'scratch' } as const;

/** `doctor --probe` finds what a service does: a probe that always says the same is none. */
export const probe: readonly Mutant[] = [
  {
    ...reads,
    find: 'if (error instanceof ContractError) return undefined;',
    replace: "if (error instanceof ContractError) return 'text';",
    rule: 'a page of HTML is no reading of health',
    title: 'page of HTML',
  },
  {
    ...reads,
    find: 'await ask({ ...get, auth: false }, { project_id: id });',
    replace: 'await ask(get, { project_id: id });',
    rule: 'the probe of public reads sends no key',
  },
  {
    ...writes,
    find: 'if (!(await committed(ids[3]!)))',
    replace: 'if (!ids[3])',
    rule: 'the probe waits for the commit of what was deleted',
    title: 'comes late',
  },
  {
    ...writes,
    find: 'throw stays(`the scratch dataset',
    replace: 'void stays(`the scratch dataset',
    rule: 'a scratch dataset that stays is named',
    title: 'stays behind',
  },
  {
    ...reads,
    find: "return reading ? { 'unknown-slug': reading } : {};",
    replace: "return { 'unknown-slug': 'not-found' };",
    rule: 'the probe finds what an unknown slug gives',
  },
  {
    ...reads,
    find: ".length > 0 ? 'every' : 'none';",
    replace: ".length >= 0 ? 'every' : 'none';",
    rule: 'the probe finds what an empty list of filters matches',
  },
  {
    ...reads,
    find: "if (error instanceof ApiError && error.status < 500) return 'refused';",
    replace: "if (error instanceof ApiError && error.status < 500) return 'none';",
    rule: 'the probe finds that an empty list of filters is refused',
  },
  {
    ...reads,
    find: "query: 'map' })) ? 'list' : 'data';",
    replace: "query: 'map' })) ? 'list' : 'list';",
    rule: 'the probe finds where the nearest points stand in their answer',
  },
  {
    ...writes,
    find: "slug === name ? 'free' : 'held'",
    replace: "slug !== '' ? 'free' : 'held'",
    rule: 'the probe finds whether the slug of a removed dataset is free',
  },
  {
    ...writes,
    find: "=== 200 ? 'succeeds' : 'not-found';",
    replace: "!== 500 ? 'succeeds' : 'not-found';",
    rule: 'the probe finds what a second removal gives',
  },
  { ...writes, find: "=== rows ? 'at-once' : 'late'", replace: "<= rows ? 'at-once' : 'late'", rule: 'the probe finds whether counts lag' },
  {
    ...writes,
    find: "(await stamp()) < 1e11 ? 'seconds' : 'milliseconds'",
    replace: "(await stamp()) < 1e14 ? 'seconds' : 'milliseconds'",
    rule: 'the probe finds the unit of the last change',
  },
  { ...writes, find: "typeof at === 'number' ? 'epoch-ms' :", replace: '', rule: 'the probe finds times of rows that are numbers' },
  {
    ...writes,
    find: "again.points_tagged === 2 ? 'found' : 'changed'",
    replace: "again.points_tagged! >= 0 ? 'found' : 'changed'",
    rule: 'the probe finds what a tag counts',
  },
  {
    ...writes,
    find: "=== 200 ? 'accepted' : 'refused';",
    replace: "!== 500 ? 'accepted' : 'refused';",
    rule: 'the probe finds what the removal of an unknown tag gives',
  },
  {
    ...writes,
    find: "updated === 200 ? 'there' : 'gone'",
    replace: "updated !== 500 ? 'there' : 'gone'",
    rule: 'the probe finds whether maps can be updated',
  },
  {
    ...writes,
    find: "=== before ? 'never' : 'at-commit'",
    replace: "!== before ? 'never' : 'at-commit'",
    rule: 'the probe finds when a deletion moves the version',
  },
  {
    ...writes,
    find: "left ? 'replaces' : shown.startsWith('second') ? 'lost' : 'skipped'",
    replace: "left ? 'replaces' : 'skipped'",
    rule: 'the probe distinguishes a lost row from one that was never taken',
  },
  {
    ...writes,
    find: "datums.includes(null) ? 'null' : 'left-out'",
    replace: "'left-out'",
    rule: 'the probe finds null in the place of an unknown row',
  },
  {
    ...writes,
    find: "error.body.includes(missing) ? 'named' : 'unnamed'",
    replace: "'named'",
    rule: 'the probe finds whether unknown rows are named',
  },
  {
    ...writes,
    find: 'await ask(remove, { project_id }).catch(',
    replace: 'await Promise.resolve({ project_id }).catch(',
    rule: 'the probe removes the dataset that it made',
  },
  {
    file: 'cli/probe/find-readings.ts',
    find: 'if (options.scratch)',
    replace: 'if (organization)',
    rule: 'the probe writes nothing unless it is asked to',
    test: 'test/cli/probe.test.ts',
    title: 'reads alone',
  },
];
