import { expect, test } from 'vitest';
import { listRuns } from '../../runs/list.ts';
import { findRunOrNewest, findRunOrOpen } from '../../runs/newest.ts';
import { useWorld } from './support.ts';

const here = useWorld();
const elsewhere = useWorld();

const asks = 'name: asks\nsteps:\n  ask: { use: gate.approve, with: { expires: 1h } }\n';

test('without an id no run of another project is meant, whether it is newer or the only one that is open', async () => {
  const own = await here.start('name: ends\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n');
  await here.ended(own);
  const foreign = await elsewhere.start(asks);
  await elsewhere.until(foreign, ({ view }) => view.state === 'approval');
  expect((await findRunOrNewest(here.place)).run).toBe(own);
  await expect(findRunOrOpen(here.place)).rejects.toThrow('no run is open');
  expect((await findRunOrOpen(elsewhere.place)).run).toBe(foreign);
  await elsewhere.portolan(['cancel', foreign]);
  await elsewhere.ended(foreign);
});

test('the newest run is the one whose folder is there, also while the list of the cluster does not name it yet', async () => {
  const older = await here.start('name: older\nsteps:\n  never: { use: gate.approve, when: false, with: {} }\n');
  await here.ended(older);
  const newer = await here.start(asks);
  await here.until(newer, ({ view }) => view.state === 'approval');
  const { client } = here.place;
  async function* behind() {
    for await (const info of client.workflow.list()) if (info.memo?.['run'] !== newer) yield info;
  }
  const workflow = new Proxy(client.workflow, {
    get: (of, key) => (key === 'list' ? behind : (Reflect.get(of, key, of) as unknown)),
  });
  const late = {
    ...here.place,
    client: new Proxy(client, { get: (of, key) => (key === 'workflow' ? workflow : (Reflect.get(of, key, of) as unknown)) }),
  };
  expect((await listRuns(late, { limit: 1, own: true })).map(({ run, state }) => [run, state])).toEqual([[newer, 'approval']]);
  await here.portolan(['cancel', newer]);
  await here.ended(newer);
});
