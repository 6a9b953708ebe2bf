import type { Mutant } from './mutant.ts';

/** Rules by which the code is right whatever a service makes of the gaps of its text. */
export const readings: readonly Mutant[] = [
  {
    file: 'activities/dataset/replace-rows.ts',
    find: "    await ended(context, stage.order, 'committing the deletions');\n    await checkCommitted(context, job);\n",
    replace: '',
    rule: 'a row is added again only when its deletion is committed',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/index/order-update.ts',
    find: 'sent: always || stale.length > 0 || (await deletionsOf(context, dataset)).open,',
    replace: 'sent: stale.length > 0,',
    rule: 'an update is sent for a deletion that moves no timestamp',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/dataset/expected-rows.ts',
    find: '  if (held >= rows) return project;\n',
    replace: '  return project;\n',
    rule: 'rows that a late deletion has taken are noticed after the update',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/points/tag.ts',
    find: 'operation, id_field: idField },',
    replace: 'operation },',
    rule: 'a tag names the id field of the dataset',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'pipelines/steps/points/where.ts',
    find: "  const filter = condition === undefined ? everyPoint(facts, true) : toFilter(condition, facts, true);\n  if (filter.method === 'composition' && filter.polarity !== false) return filter;",
    replace:
      "  if (condition === undefined) return { method: 'composition', conjunctor: 'ALL', filters: [] };\n  const filter = toFilter(condition, facts, true);\n  if (filter.method === 'composition' && filter.polarity !== false) return filter;",
    rule: 'every point is not asked for by an empty list of filters',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'pipelines/steps/points/where.ts',
    find: "if (filter.method === 'composition' && filter.polarity !== false) return filter;",
    replace: "if (filter.method === 'composition') return filter;",
    rule: 'the composition at the top is never inverted',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'pipelines/steps/points/to-range.ts',
    find: "ends === 'neither' ? finite(before(low), -3.5e38) : low",
    replace: 'low',
    rule: 'an end that the service leaves out is moved by one',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/points/select.ts',
    find: '  if (count + others !== points)\n',
    replace: '  if (count + others > points)\n',
    rule: 'rows with nulls that an inverted condition leaves out are noticed',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/points/selection.ts',
    find: "if (match === 'words' && context.connection('maps').readings['search-match'] === undefined)",
    replace: 'if (match === undefined)',
    rule: 'a search for parts of words is refused where the service knows whole words only',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/frame/in-batches.ts',
    find: 'most = batch.length >> 1;',
    replace: 'throw error;',
    rule: 'a call that the service finds too large is halved',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'activities/dataset/ensure.ts',
    find: 'const notShown = new Set([400, 403, 404]);',
    replace: 'const notShown = new Set([404]);',
    rule: 'where a service says otherwise than by 404 that a slug is free, the list of datasets decides',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'contracts/maps/coverage.ts',
    find: 'stamp < mostSeconds ? stamp * 1_000 : stamp;',
    replace: 'stamp * 1_000;',
    rule: 'the time of the last change is understood in seconds and in milliseconds',
    test: 'test/activities/readings.test.ts',
  },
  {
    file: 'service/engine/datasets/cosine.ts',
    find: 'THEN 0 ELSE array_cosine_similarity(${wideA}, ${wideB}) END`;',
    replace: 'THEN -1 ELSE array_cosine_similarity(${wideA}, ${wideB}) END`;',
    rule: 'a vector of length 0 is as like as none, not the opposite',
    test: 'test/service/cosine.test.ts',
  },
];
