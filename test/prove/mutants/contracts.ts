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
];
