import type { Mutant } from './mutant.ts';

const test = 'test/service/labels.test.ts';
const reads = 'test/spec/further-reads.test.ts';

/** What the points of a map are given, and reads of points. */
export const labels: readonly Mutant[] = [
  {
    file: 'service/engine/labels/duplicates.ts',
    find: 'if (at === 1 && squared > most) break;',
    replace: 'if (squared > most) break;',
    rule: 'every pair that may be duplicates is compared',
    test,
  },
  {
    file: 'service/engine/labels/duplicates.ts',
    find: 'const most = 2 * cutoff + SLACK;',
    replace: 'const most = cutoff;',
    rule: 'duplicates are found up to the cutoff',
    test,
  },
  {
    file: 'service/engine/labels/names.ts',
    find: 'return texts >= least && ratio > 1.2 ? [{ each, weight: share * Math.log(ratio) }] : [];',
    replace: 'return texts >= least ? [{ each, weight: share }] : [];',
    rule: 'a word that stands in every text names no topic',
    test,
  },
  {
    file: 'service/engine/labels/names.ts',
    find: 'if (!taken.has(name)) return name;',
    replace: 'return name;',
    rule: 'the name of a topic is that of no other',
    test,
  },
  {
    file: 'service/engine/labels/merge.ts',
    find: 'if (each === i) group[at] = j;',
    replace: 'if (each === i && at === i) group[at] = j;',
    rule: 'a topic lies within one of the depth above it',
    test,
  },
  {
    file: 'service/engine/datasets/indices.ts',
    find: 'for (const index_id of renamed) await forgetTopics(connection, index_id);',
    replace: '',
    rule: 'topics are made anew where that is asked for',
    test,
  },
  {
    file: 'service/engine/datasets/label-topics.ts',
    find: 'const names = kept?.names ?? (',
    replace: 'const names = (',
    rule: 'topics keep their names when points are added',
    test,
  },
  {
    file: 'service/engine/datasets/delete.ts',
    find: "CASE WHEN groups.points = 1 THEN 'singleton' ELSE 'retention candidate' END",
    replace: 'one."_duplicate_class_0"',
    rule: 'of duplicates that are left one is kept',
    test,
  },
  {
    file: 'service/apis/maps/index-options.ts',
    find: '  checkOptions(input);\n',
    replace: '',
    rule: 'an option that cannot be obeyed is refused',
    test,
  },
  {
    file: 'service/apis/maps/index-options.ts',
    find: '  checkLabels(facts, input);\n',
    replace: '',
    rule: 'a map without vectors has neither topics nor duplicates, and says so',
    test,
  },
  {
    file: 'service/http/input.ts',
    find: 'filter(([name]) => !elsewhere.has(name))',
    replace: 'filter(() => elsewhere.size >= 0)',
    rule: 'a parameter of the query is not taken from the body',
    test: reads,
  },
  {
    file: 'service/apis/maps/data.ts',
    find: '"_row" NOT IN (SELECT "_row" FROM deleted WHERE replaced) AND ',
    replace: '',
    rule: 'a row that was replaced is not read beside the one in its place',
    test: reads,
  },
  {
    file: 'service/engine/datasets/neighbors.ts',
    find: 'WHERE tix = ? ORDER BY rix`,',
    replace: 'WHERE tix = ? ORDER BY similarity`,',
    rule: 'similarities stand in the order of the points of their tile',
    test: reads,
  },
  {
    file: 'service/apis/maps/neighbors.ts',
    find: "if (build.project_id !== project_id) throw notFound('map', projection_id);",
    replace: '',
    rule: 'a map is searched as one of its dataset alone',
    test: reads,
  },
  {
    file: 'service/apis/maps/usage.ts',
    find: '.slice(offset_number, limit === null || limit === undefined ? undefined : offset_number + limit)',
    replace: '',
    rule: 'what an organization has used is read by pages of its models',
    test: 'test/spec/pagination.test.ts',
  },
  {
    file: 'service/apis/maps/index-options.ts',
    find: '  checkModality(input);\n',
    replace: '',
    rule: 'a modality that is not that of what is embedded is refused',
    test,
    title: 'cannot be obeyed',
  },
  {
    file: 'service/apis/maps/index-options.ts',
    find: "if (named && named.type !== 'string')",
    replace: "if (named && named.type === 'vector')",
    rule: 'topics are named by a column of texts, and by no other in its place',
    test,
    title: 'cannot be obeyed',
  },
];
