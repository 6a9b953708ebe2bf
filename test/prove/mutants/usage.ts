import type { Mutant } from './mutant.ts';

const test = 'test/service/usage.test.ts';

export const usage: readonly Mutant[] = [
  {
    file: 'service/engine/meter.ts',
    find: 'embeddings: texts.length',
    replace: 'embeddings: 1',
    rule: 'each text that is embedded is counted',
    test,
  },
  {
    file: 'service/engine/embedding/row-embedder.ts',
    find: 'meter.embedder(project.owner)',
    replace: "meter.embedder('')",
    rule: 'the texts of a map count for the organization of its dataset',
    test,
  },
  {
    file: 'service/core/records/usage.ts',
    find: 'tokens = tokens + excluded.tokens',
    replace: 'tokens = excluded.tokens',
    rule: 'what is used within a day is added up',
    test,
  },
  {
    file: 'service/apis/maps/usage.ts',
    find: 'from !== monthOf(from) || from > now',
    replace: 'from > now',
    rule: 'a billing period begins with the first day of a month',
    test,
  },
  {
    file: 'service/apis/maps/usage.ts',
    find: 'if (roleIn(records, userId, found.id, keyRole) === undefined)',
    replace: 'if (found.id === userId + keyRole)',
    rule: 'usage of an organization is shown to its members alone',
    test,
  },
  {
    file: 'service/apis/maps/usage.ts',
    find: "project.is_public ? 'public_datapoints'",
    replace: "!project.is_public ? 'public_datapoints'",
    rule: 'rows of public datasets count as public',
    test,
  },
];
