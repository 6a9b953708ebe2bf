import { expect, test } from 'vitest';
import { applyCommand } from '../../cli/schedule/apply-command.ts';

test('the command that applies a schedule has every option that decides what is applied, as a shell takes it', () => {
  expect(applyCommand('./a b.yaml', {})).toBe("portolan schedule apply './a b.yaml' --yes");
  expect(
    applyCommand('nightly.yaml', {
      env: 'prod',
      connection: 'hosted',
      param: ['slug=films', 'note=two words'],
      accept: ['rows', 'tag'],
      as: 'second',
      'no-check': true,
    }),
  ).toBe(
    "portolan schedule apply nightly.yaml --env prod -c hosted -p slug=films -p 'note=two words' --accept rows --accept tag --as second --no-check --yes",
  );
});
