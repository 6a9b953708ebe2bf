import type { Mutant } from './mutant.ts';

export const contracts: readonly Mutant[] = [
  {
    file: 'contracts/maps/projects.ts',
    find: 'if (before.includes(project_id)) continue;',
    replace: '',
    rule: 'a dataset that was there before is not the effect of a lost creation',
    test: 'test/activities/lost-answers.test.ts',
  },
  {
    file: 'contracts/maps/organizations.ts',
    find: '(await namesakes(nickname, ask)).filter((organization) => !before.includes(organization));',
    replace: 'await namesakes(nickname, ask);',
    rule: 'an organization that was there before is not the effect of a lost creation',
    test: 'test/activities/lost-answers.test.ts',
  },
  {
    file: 'contracts/maps/indices.ts',
    find: '(index) => !before.includes(index.id) && (!index_name',
    replace: '(index) => (!index_name',
    rule: 'a map that was there before is not the effect of a lost creation',
    test: 'test/activities/lost-answers.test.ts',
  },
  {
    file: 'contracts/query.ts',
    find: 'boolean: (text) => ({ true: true, false: false })[text] ?? text,',
    replace: "boolean: (text) => text === 'true',",
    rule: 'a word of a query that is no truth value is refused, not false',
    test: 'test/contracts/query.test.ts',
  },
  {
    file: 'contracts/query.ts',
    find: 'if (value === undefined || value === null) return [];',
    replace: 'if (value === undefined) return [];',
    rule: 'null is not sent in a query',
    test: 'test/contracts/query.test.ts',
  },
  {
    file: 'contracts/maps/query.ts',
    find: 'Object.keys(object).length === 1',
    replace: 'true',
    rule: 'an object that is more than an id is no point',
    test: 'test/client/answers.test.ts',
  },
  {
    file: 'contracts/maps/common.ts',
    find: 'z.guid().toLowerCase()',
    replace: 'z.guid()',
    rule: 'a uuid in capitals is the same uuid',
    test: 'test/service/transport.test.ts',
  },
  {
    file: 'contracts/maps/errors.ts',
    find: 'if (asText.has(status)) return',
    replace: 'if (false) return',
    rule: 'a refused addition is text where clients drop rows on JSON',
    test: 'test/service/transport.test.ts',
  },
];
