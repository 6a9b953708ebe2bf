import { setTimeout as sleep } from 'node:timers/promises';
import { randomInt } from 'node:crypto';
import { alertReceiver, isGenuine, type AlertReceiver, type Received } from '../support/alert-receiver.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';

/** Pipelines of a round, with one kill each; ten rounds are 50. */
const kills = 5;

const secret = 'secret-of-the-channel';

const step = (api: string): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'acme.does',
  input: z.strictObject({ fails: z.boolean() }),
  output: z.object({}),
  effect: 'safe',
  run({ fails }) {
    if (fails) throw new Error('it fails as it should');
    return {};
  },
});
`;

const pipeline = (name: string, fails: boolean): string => `name: ${name}
notify: { on: [failed, approval, recovered], late: 2s, to: [ops] }
steps:
${fails ? '  ok: { use: gate.approve }\n' : ''}  act: { use: acme.does, with: { fails: ${fails} }${fails ? ', needs: [ok]' : ''} }
`;

/** The occasions of a round, in their order: a run that waits, fails and makes its pipeline late, and one that is done. */
const occasions = ['approval/ok', 'failed', 'late', 'recovered'] as const;

/**
 * One pipeline through all occasions. In three of four rounds the worker is killed while the answer to one alert is held, so that
 * nobody knows whether it was sent; in the others at any moment. Returns the ids that should have been sent.
 */
async function round(world: World, receiver: AlertReceiver, at: number, check: (received: Received) => void): Promise<string[]> {
  const name = `tide-${at}`;
  const victim = at % 4 === 3 ? undefined : occasions[(at + Math.floor(at / 4)) % occasions.length];
  const kill = async (): Promise<void> => {
    await world.worker.kill();
    await world.worker.start(0);
  };
  let holds = victim !== undefined;
  receiver.answer = (response, received) => {
    check(received);
    if (!holds || !received.id.endsWith(victim!)) response.end();
  };
  const of = (id: string): Promise<void> => receiver.until((all) => all.some((each) => each.id === id));
  const ids: string[] = [];
  const seen = async (run: string, occasion: (typeof occasions)[number]): Promise<void> => {
    const id = `${run}/${occasion}`;
    ids.push(id);
    await of(id);
    if (occasion !== victim) return;
    holds = false;
    await kill();
    await receiver.until((all) => all.filter((each) => each.id === id).length > 1);
  };
  const first = await world.start(pipeline(name, true));
  if (victim === undefined) {
    await sleep(randomInt(3_000));
    await kill();
  }
  await seen(first, 'approval/ok');
  const { code, err } = await world.portolan(['approve', first, 'ok']);
  if (code !== 0) throw new Error(`approve ended ${code}: ${err}`);
  await seen(first, 'failed');
  await seen(first, 'late');
  const second = await world.start(pipeline(name, false));
  await seen(second, 'recovered');
  // A pipeline that was done is late again, 2 s later.
  ids.push(`${second}/late`);
  await of(`${second}/late`);
  return ids;
}

export const proof: Proof = {
  name: 'alerts',
  sets: ['time'],
  rounds: 10,
  what: 'kill -9 of the worker around alerts that a run failed, waits, is late and has recovered: exactly one for each occasion, each with a signature that a script of its own takes',
  async run({ note, rounds }) {
    const receiver = await alertReceiver();
    try {
      process.env['ALERT_SECRET'] = secret;
      await using bundle = await createBundle();
      await using world = await createWorld({ bundle: bundle.path });
      await world.write('steps/does.mts', step(new URL('../../index.ts', import.meta.url).href));
      await world.write(
        'portolan.config.mts',
        `export default { secrets: { hook: { env: 'ALERT_SECRET' } }, channels: { ops: { webhook: '${receiver.url}', secret: 'hook' } } };\n`,
      );
      await world.worker.stop();
      await world.worker.start(0);
      const expected: string[] = [];
      // When they come: the script refuses what is older than 5 minutes.
      const refused: string[] = [];
      const otherSecret: string[] = [];
      const check = (received: Received): void => {
        if (!isGenuine(received, secret)) refused.push(received.id);
        if (isGenuine(received, 'another')) otherSecret.push(received.id);
      };
      for (let at = 0; at < kills * rounds; at++) {
        const began = performance.now();
        expected.push(...(await round(world, receiver, at, check)));
        note(`${at + 1} of ${kills * rounds}, ${((performance.now() - began) / 1_000).toFixed(1)} s: ${receiver.all.length} deliveries`);
      }
      // An alert that is still under way could be sent once more.
      for (const id of expected) await world.client.workflow.getHandle(`portolan/alert/${id}`).result();
      const byId = Map.groupBy(receiver.all, ({ id }) => id);
      const missing = expected.filter((id) => !byId.has(id));
      const others = [...byId.keys()].filter((id) => !expected.includes(id));
      const unequal = [...byId].filter(([id, all]) => all.some(({ body }) => body !== all[0]!.body || JSON.parse(body).id !== id));
      const { length: sent } = receiver.all;
      return [
        line(
          `${kills * rounds} kills, ${expected.length} occasions: alerts by their id, missing, of no occasion`,
          `${byId.size}, ${missing.length}, ${others.length}`,
          `${expected.length}, 0, 0`,
          byId.size === expected.length && missing.length === 0 && others.length === 0,
        ),
        line('alerts that were sent again with another body or id', unequal.length, '0', unequal.length === 0),
        line(`signatures of ${sent} deliveries that docs/alerts/verify.py refuses`, refused.length, '0', refused.length === 0),
        line(
          'control, the same deliveries at a receiver for which each attempt has an id of its own: alerts too many',
          sent - expected.length,
          '> 0',
          sent > expected.length,
        ),
        line(
          `control, the same signatures under another secret: refused`,
          sent - otherSecret.length,
          String(sent),
          otherSecret.length === 0,
        ),
      ];
    } finally {
      await receiver.close();
    }
  },
};
