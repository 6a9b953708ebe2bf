import type { Mutant } from './mutant.ts';

const append = { file: 'activities/dataset/append.ts', test: 'test/activities/append.test.ts' } as const;
const parts = { file: 'activities/dataset/send-parts.ts', test: 'test/activities/send-parts.test.ts' } as const;
const reader = { file: 'activities/dataset/part-reader.ts', test: 'test/activities/send-parts.test.ts' } as const;
const build = { file: 'activities/index/build.ts', test: 'test/activities/index-build.test.ts' } as const;

/** What becomes of rows and maps: counted, compared, read back. */
export const dataset: readonly Mutant[] = [
  {
    ...append,
    find: 'if (project.total_datums_in_project !== total) {',
    replace: 'if (false) {',
    rule: 'rows that something else added, or that were lost, are noticed by append',
    title: 'rows that something else added meanwhile',
  },
  {
    ...append,
    find: 'if (accounted !== state.rows)',
    replace: 'if (false)',
    rule: 'every row of a source is accounted for',
    title: 'a chunk that counts other rows',
  },
  {
    ...append,
    find: "maxRows: Math.min(shardRows, context.connection('maps').batch.rows),",
    replace: 'maxRows: shardRows,',
    rule: 'a shard has no more rows than the connection names',
    title: 'no call has more rows',
  },
  {
    ...append,
    find: '!sameRow(shard.rows[row]!, known.get(id)!)',
    replace: 'false',
    rule: 'a known row that differs is found',
    title: 'a changed row',
  },
  {
    ...append,
    find: 'await context.store.fates(context.step, firstReplaced + at,',
    replace: 'await context.store.fates(context.step, at,',
    rule: 'the fates of replaced rows do not take the place of others',
    title: 'replaced rows have their fates',
  },
  {
    file: 'activities/dataset/same-row.ts',
    find: 'Math.fround(sent) === Math.fround(held)',
    replace: 'sent === held',
    rule: 'a float32 that is written short is the same number',
    test: 'test/activities/same-row.test.ts',
  },
  {
    file: 'activities/dataset/same-row.ts',
    find: '!Number.isInteger(sent) && ',
    replace: '',
    rule: 'whole numbers are compared to the last digit',
    test: 'test/activities/same-row.test.ts',
  },
  {
    file: 'activities/dataset/same-row.ts',
    find: "return (value ?? 'null') === (other ?? 'null');",
    replace: 'return true;',
    rule: 'a value is not the same as none',
    test: 'test/activities/same-row.test.ts',
  },
  {
    file: 'activities/dataset/rejected-rows.ts',
    find: '  if (first) {\n',
    replace: '  if (false) {\n',
    rule: 'a source whose ids repeat is refused before anything is sent',
    test: 'test/activities/append.test.ts',
    title: 'ids that stand in two rows',
  },
  {
    ...parts,
    find: 'if (!opaque && differs(answer.etag, md5)) {',
    replace: 'if (false) {',
    rule: 'a part that arrived damaged is sent again',
  },
  {
    ...parts,
    find: 'opaque = differs(answer.etag, md5);',
    replace: 'opaque = false;',
    rule: 'ETags that are no digests cost one part, not every one',
  },
  {
    ...parts,
    find: 'const missing = parts.filter((part) => !sent.has(part));',
    replace: 'const missing = parts;',
    rule: 'a part that was acknowledged is not sent again',
  },
  {
    ...reader,
    find: "if (hash.digest('hex') !== sha256) throw",
    replace: "if (hash.digest('hex') === '') throw",
    rule: 'of a file with other bytes no whole part leaves',
  },
  {
    ...build,
    find: 'if (trouble) throw',
    replace: 'if (false) throw',
    rule: 'a build that failed fails its step',
    title: 'a model goes out by the name',
  },
  {
    ...build,
    find: 'const known = wasBegun(context, { operation, input: request })\n      ? undefined\n      : ',
    replace: 'const known = ',
    rule: 'the map that a step has begun to build is said to be built by it',
    test: 'test/activities/index-build.test.ts',
    title: 'the map that an attempt has begun',
  },
  {
    ...build,
    find: 'model: at(options.model)',
    replace: 'model: options.model',
    rule: 'a model goes out by the name that the service of the connection has for it',
    title: 'a model goes out by the name',
  },
  {
    ...build,
    find: 'if (input.embed !== undefined && project.project_fields.length > 0 &&',
    replace: 'if (input.embed === "" && project.project_fields.length > 0 &&',
    rule: 'a column that the dataset does not have is refused by name',
    title: 'a column that the dataset does not have',
  },
  {
    file: 'activities/dataset/organization.ts',
    find: 'if (!chosen) {',
    replace: 'if (!chosen && !wanted) {',
    rule: 'an organization that the connection names and the key does not have is refused',
    test: 'test/activities/points.test.ts',
    title: 'an organization that the key does not have',
  },
  {
    file: 'service/http/exchange.ts',
    find: '    if (caller) checkReach(operation, caller, endpoint, input as Readonly<Record<string, unknown>>);\n',
    replace: '',
    rule: 'a key reaches what it was made for and nothing else',
    test: 'test/service/keys.test.ts',
  },
  {
    file: 'service/http/exchange.ts',
    find: "    admit(call.limit, { user: '', key: '', address: addressOf(call.bindings) });\n",
    replace: '',
    rule: 'parts of an upload are limited',
    test: ['test/service/uploads.test.ts', 'test/service/part-faults.test.ts'],
  },
  {
    file: 'workflows/run-pipeline-v1.ts',
    find: 'if (plan.cel !== celVersion)',
    replace: 'if (false)',
    rule: 'a plan means what it means under its own expressions only',
    test: 'test/system/versions.test.ts',
  },
  {
    file: 'workflows/run-pipeline-v1.ts',
    find: 'if (state.cancelled || decided ||',
    replace: 'if (decided ||',
    rule: 'work under way ends when its run is cancelled',
    test: 'test/system/steering.test.ts',
    title: 'a cancelled run ends',
  },
];
