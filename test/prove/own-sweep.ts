import type { RunView } from '../../workflows/messages.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { charges, createCharging, type Charging } from './support-charging.ts';

const items = 1_000;

const api = new URL('../../index.ts', import.meta.url).href;
const sweep = (name: string, effect: string, each: string): string => `import { defineSweep, z } from ${JSON.stringify(api)};
export default defineSweep({
  name: 'prove.${name}',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: '${effect}',
  attemptSeconds: 3,
  *items({ url, count }) {
    for (let id = 0; id < count; id++) yield { id: 'c' + id, url };
  },
  async each({ id, url }, context) {
    ${each}
  },
});
`;
const patient =
  "const reply = await context.fetch(`${url}/${id}`, { method: 'POST' }); if (!reply.ok) throw new Error(await reply.text()); await reply.text();";
/** As code does that knows no waits and no effects: again at once, until it is let through. */
const naive = "for (;;) { const reply = await fetch(`${url}/${id}`, { method: 'POST' }); await reply.text(); if (reply.ok) return; }";

const pipeline = (use: string, url: string, count: number): string =>
  `name: charging\nsteps:\n  all: { use: prove.${use}, with: { url: "${url}", count: ${count} } }\n`;

/** Declined in the first run and in each rerun: fewer each time. */
const declinedIn = (round: number, customer: string): boolean => Number(customer.slice(1)) % 10 < 3 - round;

/** Kills of each run, after so many requests that were let through since the one before. */
const kills: readonly (readonly number[])[] = [[150, 300, 250], [120], [80], [40]];

/** Kills the worker so often, each time while an item has been charged and does not know it. */
async function withKills(world: World, service: Charging, after: readonly number[], run: string): Promise<RunView> {
  for (const count of after) {
    await service.holdAfter(count);
    await world.worker.kill();
    await service.letGo(() => world.worker.start(0));
  }
  return (await world.ended(run)).view;
}

/** What a person finds at the service of items that nobody knows the end of. */
async function fates(world: World, service: Charging, run: string): Promise<string[]> {
  const unknown = await world.store(run).readItems({ step: 'all', status: 'unknown' });
  return unknown.flatMap(({ item }) => ['--fate', `${item}=${service.times(item) > 0 ? 'done' : 'again'}`]);
}

async function rerun(world: World, run: string, settled: readonly string[]): Promise<string> {
  const { code, out, err } = await world.portolan(['rerun', run, '--detach', '--json', ...settled]);
  if (code !== 0) throw new Error(`rerun ended ${code}: ${err}`);
  return (JSON.parse(out.trim().split('\n').at(-1)!) as { run: string }).run;
}

export const proof: Proof = {
  name: 'own-sweep',
  sets: ['user'],
  what: `an own sweep of ${items} items with effect never against ${charges.count} in ${charges.seconds} s, with 429s, hangs and kills, and three reruns with kills: nothing early, nothing twice`,
  async run({ note }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    await world.write('steps/patient.mts', sweep('patient', 'never', patient));
    await world.write('steps/naive.mts', sweep('naive', 'idempotent', naive));
    await world.worker.stop();
    await world.worker.start(0);
    await using service = await createCharging();
    await using other = await createCharging();
    service.set.hangs = (customer) => Number(customer.slice(1)) % 100 === 55;
    let run = '';
    let asked = 0;
    const spent = { seconds: 0, least: 0 };
    let view: RunView | undefined;
    for (const [round, after] of kills.entries()) {
      service.set.declined = (customer) => declinedIn(round, customer);
      const settled = round === 0 ? [] : await fates(world, service, run);
      asked += settled.length / 2;
      const measured = service.measure();
      run = round === 0 ? await world.start(pipeline('patient', service.url, items)) : await rerun(world, run, settled);
      view = await withKills(world, service, after, run);
      const { requests, seconds, least } = measured();
      spent.seconds += seconds;
      spent.least += least;
      note(
        `${round === 0 ? 'run' : `rerun ${round}`}: ${view.state}, ${service.charged()} charged so far; ${requests} requests let through in ${seconds.toFixed(1)} s, limit and kills allow it in ${least.toFixed(1)} s`,
      );
    }
    const { seen } = service;
    const taking = service.measure();
    const settled = await fates(world, service, run);
    run = await rerun(world, run, settled);
    view = (await world.ended(run)).view;
    const made = view.steps[0]!.output as { items: number; done: number } | undefined;
    const { requests: sentByLast } = taking();
    const recoveries = service.recoveries();

    const control = await world.start(pipeline('naive', other.url, charges.count + 50));
    await withKills(world, other, [100], control);
    return [
      line(
        'the last rerun',
        `${view.state}, ${made?.done ?? 0} of ${made?.items ?? 0} done`,
        `done, ${items}`,
        view.state === 'done' && made?.done === items,
      ),
      line('customers charged', service.charged(), String(items), service.charged() === items),
      line('charged twice', service.repeated(), '0', service.repeated() === 0),
      line('sent before their Retry-After', seen.early, '0', seen.early === 0),
      line('refused', seen.refused, '> 0, or nothing was shown', seen.refused > 0),
      line('items that a person was asked about', asked + settled.length / 2, '> 0, or no kill met an item', asked > 0),
      line(
        'sent by the rerun that only takes over',
        sentByLast,
        'what was said to be again',
        sentByLast === settled.filter((word) => word.endsWith('=again')).length,
      ),
      line(
        'after a kill, longest until the next request',
        `${Math.max(...recoveries).toFixed(1)} s`,
        '≤ 30 s',
        Math.max(...recoveries) <= 30,
      ),
      line(
        'time of the runs, of what the limit allows while somebody is alive to send',
        `${(spent.seconds / spent.least).toFixed(2)} ×`,
        '≤ 1.3 ×',
        spent.seconds <= 1.3 * spent.least,
      ),
      line('control, code that knows no waits: sent early', `${other.seen.early} of ${other.seen.requests}`, '> 0', other.seen.early > 0),
      line('control, a sweep that says it may be repeated: charged twice', other.repeated(), '> 0', other.repeated() > 0),
    ];
  },
};
