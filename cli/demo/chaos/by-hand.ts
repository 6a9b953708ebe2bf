// An agent for each note, by hand: node by-hand.js NOTES RESULTS. What is done stands in RESULTS, so that it can be started again.
import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';

const [notesFile = '', resultsFile = ''] = process.argv.slice(2);
const { INSTANCE_URL: url = '', INSTANCE_KEY: key = '' } = process.env;
const atOnce = 20;
const mostAttempts = 8;

/** What trying again does not help against. */
class Refused extends Error {}

/** Sends a call. Lost connections and 5xx are tried again, ever later; a 429 when its Retry-After is over. */
async function api(method: string, path: string, body?: object): Promise<any> {
  for (let attempt = 1; ; attempt++) {
    let waitMs = Math.min(30_000, 250 * 2 ** attempt) * (0.5 + Math.random());
    try {
      const reply = await fetch(`${url}/api/v0${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(30_000),
      });
      if (reply.ok) return ((await reply.json()) as any).data;
      const said = `${method} ${path} answered ${reply.status}: ${await reply.text()}`;
      if (reply.status === 429) {
        waitMs = Number(reply.headers.get('retry-after') ?? 5) * 1_000;
        attempt--;
      } else if (reply.status < 500) throw new Refused(said);
      else throw new Error(said);
    } catch (error) {
      if (error instanceof Refused || attempt >= mostAttempts) throw error;
    }
    await sleep(waitMs);
  }
}

/** Waits until the agent has ended, and returns its last word. */
async function lastWord(agent: string): Promise<string> {
  for (;;) {
    const { status } = await api('GET', `/agents/${agent}`);
    if (status === 'finished') break;
    if (status === 'failed' || status === 'stopped') throw new Error(`agent ${agent} has ${status}`);
    await sleep(1_000);
  }
  const { messages } = await api('GET', `/agents/${agent}/conversation`);
  return messages.findLast(({ type }: { type: string }) => type === 'assistant')?.text ?? '';
}

const known = new Map<string, any>();
for (const line of (await readFile(resultsFile, 'utf8').catch(() => '')).split('\n').slice(0, -1)) {
  const row = JSON.parse(line);
  known.set(row.id, { ...known.get(row.id), ...row });
}
const record = (row: object): Promise<void> => appendFile(resultsFile, `${JSON.stringify(row)}\n`);

async function work({ id, text }: { id: string; text: string }): Promise<void> {
  const before = known.get(id);
  if (before?.costUsd !== undefined) return;
  let agent = before?.agent;
  if (agent === undefined) {
    const launched = await api('POST', '/agents', { prompt: { text: `Extract the emails of this note: ${text}` } });
    agent = launched.id;
    await record({ id, agent });
  }
  let word = await lastWord(agent);
  if (/no emails/i.test(word)) {
    await api('POST', `/agents/${agent}/followup`, { prompt: { text: `Summarise the note in 1 sentence: ${text}` } });
    word = await lastWord(agent);
  }
  const { spend } = await api('GET', `/agents/${agent}/usage`);
  const costUsd = spend.reduce((sum: number, each: { costUsd: number }) => sum + each.costUsd, 0);
  await record({ id, agent, text: word, costUsd });
}

const notes = JSON.parse(await readFile(notesFile, 'utf8')) as { id: string; text: string }[];
let failed = 0;
await pLimit(atOnce).map(notes, (note) =>
  work(note).catch((error: unknown) => {
    failed++;
    console.error(`${note.id}: ${String(error)}`);
  }),
);
console.log(`${notes.length - failed} of ${notes.length} notes done`);
// Whoever starts it again goes on with those that failed.
process.exitCode = failed > 0 ? 1 : 0;
