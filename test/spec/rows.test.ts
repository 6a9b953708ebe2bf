import { describe, expect, test } from 'vitest';
import type { OperationName } from '../../contracts/index.ts';
import { addresses } from '../../service/apis/maps/addresses.ts';
import { usePlace } from './place.ts';
import { mapOf } from './rows/made.ts';
import { missing } from './rows/missing.ts';
import { recorded } from './rows/recorded.ts';
import { redirected } from './rows/redirected.ts';
import type { MadeMap } from './rows/row.ts';
import { rowNames, rows } from './rows/table.ts';

const place = usePlace();
let made: Promise<MadeMap> | undefined;
const map = (): Promise<MadeMap> => (made ??= mapOf(recorded(place(), { map }).at));

async function shows(operation: OperationName, { at, sent }: ReturnType<typeof recorded>): Promise<void> {
  await rows[operation].run(at);
  // Whoever calls and looks at nothing shows nothing.
  expect(expect.getState().assertionCalls).toBeGreaterThan(0);
  expect(missing(operation, rows[operation], sent)).toEqual([]);
}

describe('an operation does what it says, is refused, and its effect is seen by another operation', () => {
  test.each(rowNames)('%s', (operation) => shows(operation, recorded(place(), { map })));
});

describe('another address of an operation does the same', () => {
  test.each(addresses.further.map((address) => ({ address, title: `${address.method} ${address.path}` })))(
    '$title',
    async ({ address }) => {
      const { by, count } = redirected(address);
      await shows(address.operation, recorded(place(), { map, by }));
      expect(count()).toBeGreaterThan(1);
    },
  );
});

describe('a row shows its operation', () => {
  const done = { operation: 'maps.projects.create', status: 201 } as const;
  const refused = { operation: 'maps.projects.create', status: 403 } as const;
  const read = { operation: 'maps.projects.get', status: 200 } as const;
  const row = { readBack: 'maps.projects.get' } as const;
  test.each([
    ['by a success, a refusal and a look afterwards', row, [done, refused, read], 0],
    ['not without a success', row, [refused, read], 1],
    ['not by another status than that of the text', row, [{ ...done, status: 200 }, refused, read], 1],
    ['not without a refusal', row, [done, read], 1],
    ['not by a failure of the service', row, [done, { ...refused, status: 503 }, read], 1],
    ['not by a look before it', row, [read, done, refused], 1],
    ['not by a look that was refused', row, [done, refused, { ...read, status: 404 }], 1],
    ['not by itself', { readBack: 'maps.projects.create' } as const, [done, refused, done], 1],
    ['without a look, where there is none', { readBack: { none: 'reason' } }, [done, refused], 0],
    ['without a refusal, where there is none', { ...row, refusal: { none: 'reason' } }, [done, read], 0],
    ['not by a refusal that is said not to be', { ...row, refusal: { none: 'reason' } }, [done, refused, read], 1],
  ])('%s', (_, said, sent, problems) => {
    expect(missing('maps.projects.create', said, sent)).toHaveLength(problems);
  });
});
