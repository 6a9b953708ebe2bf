import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOwnSteps } from '../../pipelines/own/load-steps.ts';
import { uptime } from '../../text/uptime.ts';
import { serve } from '../support/serve.ts';
import { createStack, type Stack } from '../support/stack.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { outputOf, startText } from './support-run.ts';
import { createWindow } from './support-window.ts';

const items = 1_000;
const allowed = 200;
const windowSeconds = 10;

/** What the limit lets through at best. */
const leastSeconds = (items / allowed - 1) * windowSeconds;

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const longDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Retry-After in all four legal forms, in turn (RFC 9110, 5.6.7 and 10.2.3). */
const forms: readonly ((seconds: number) => string)[] = [
  (seconds) => String(seconds),
  (seconds) => dateIn(seconds).toUTCString(),
  (seconds) => {
    const [, day, month, year, time] = /, (\d\d) (\w{3}) \d\d(\d\d) (\S+) GMT$/.exec(dateIn(seconds).toUTCString())!;
    return `${longDays[dateIn(seconds).getUTCDay()]}, ${day}-${month}-${year} ${time} GMT`;
  },
  (seconds) => {
    const [, day, month, year, time] = /, (\d\d) (\w{3}) (\d{4}) (\S+) GMT$/.exec(dateIn(seconds).toUTCString())!;
    return `${days[dateIn(seconds).getUTCDay()]} ${month} ${day!.replace(/^0/, ' ')} ${time} ${year}`;
  },
];
/** So long after the answer's own Date, which has whole seconds too. */
const dateIn = (seconds: number): Date => new Date((Math.floor(Date.now() / 1_000) + seconds) * 1_000);

/** A service of one's own that lets so many through in any window. */
async function createLimited() {
  const window = createWindow({ count: allowed, seconds: windowSeconds });
  const done = new Map<string, number>();
  const times = { first: 0, last: 0 };
  const service = await serve((request, response) => {
    request.resume();
    times.first ||= uptime();
    const seconds = window.refuses(request.socket);
    if (seconds !== undefined) {
      const form = forms[window.seen.refused % forms.length]!;
      return void response.writeHead(429, { 'retry-after': form(seconds), date: new Date().toUTCString() }).end();
    }
    times.last = uptime();
    done.set(request.url!, (done.get(request.url!) ?? 0) + 1);
    response.end('{}');
  });
  return { ...service, seen: window.seen, done, seconds: () => (times.last - times.first) / 1_000 };
}

const index = new URL('../../index.ts', import.meta.url).href;
const sweep = (name: string, each: string): string => `import { defineSweep, z } from ${JSON.stringify(index)};
export default defineSweep({
  name: 'prove.${name}',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: 'never',
  attempts: 1000,
  *items({ url, count }) {
    for (let id = 0; id < count; id++) yield { id: String(id), url };
  },
  async each({ id, url }, context) {
    ${each}
  },
});
`;
const patient = 'await (await context.fetch(`${url}/${id}`, { method: "POST" })).arrayBuffer();';
/** As code does that knows no waits: again at once, until it is let through. */
const naive =
  'for (;;) { const reply = await fetch(`${url}/${id}`, { method: "POST" }); await reply.arrayBuffer(); if (reply.ok) return; }';

async function measured(stack: Stack, name: string, count: number) {
  await using service = await createLimited();
  const steps = Object.fromEntries((await loadOwnSteps([join(stack.dir, 'steps', `${name}.mts`)])).map((step) => [step.name, step]));
  const text = `name: waits\nsteps:\n  all: { use: prove.${name}, with: { url: "${service.url}", count: ${count} } }\n`;
  const run = await startText(stack, text, {}, { steps });
  const view = await run.ended(300_000);
  const ledger = await run.store.readItems({ step: 'all' });
  return { ...service.seen, done: service.done, view, ledger, seconds: service.seconds() };
}

export const proof: Proof = {
  name: 'own-waits',
  sets: ['floor'],
  what: `an own sweep of ${items} items against a service that lets ${allowed} through in ${windowSeconds} s: none is sent before its Retry-After`,
  async run({ note }) {
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path });
    await mkdir(join(stack.dir, 'steps'), { recursive: true });
    await writeFile(join(stack.dir, 'steps', 'patient.mts'), sweep('patient', patient));
    await writeFile(join(stack.dir, 'steps', 'naive.mts'), sweep('naive', naive));
    await stack.worker.stop();
    await stack.worker.start(0);
    const good = await measured(stack, 'patient', items);
    note(`${good.requests} requests, ${good.refused} refused, ${good.seconds.toFixed(1)} s; the limit allows it in ${leastSeconds} s`);
    const bad = await measured(stack, 'naive', allowed + 20);
    const once = [...good.done.values()].every((count) => count === 1);
    const attempts = Math.max(...good.ledger.map((record) => record.attempts));
    return [
      line('items done, each once', `${good.done.size}, ${once ? 'once' : 'twice'}`, `${items}, once`, good.done.size === items && once),
      line('the run', `${good.view.state}, ${outputOf(good.view, 'all')['done']} done`, `done, ${items} done`, good.view.state === 'done'),
      line('refused', good.refused, '> 0, or nothing was shown', good.refused > 0),
      line('sent before their Retry-After', good.early, '0', good.early === 0),
      line('attempts of an item', attempts, '1: a wait is none', attempts === 1),
      line(
        'time, of what the limit allows',
        `${(good.seconds / leastSeconds).toFixed(2)} ×`,
        '≤ 1.3 ×',
        good.seconds <= 1.3 * leastSeconds,
      ),
      line('control, code that does not wait: sent early', `${bad.early} of ${bad.requests}`, '> 0', bad.early > 0),
    ];
  },
};
