import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, expect, test } from 'vitest';
import { everyProtection } from '../../activities/frame/protection.ts';
import { createAlertActivities } from '../../activities/notify/create-alert-activities.ts';
import type { Channel, Outcome } from '../../alerts/channels/channel.ts';
import { documentOf, type AlertDocument } from '../../alerts/document.ts';
import { loadConfig } from '../../config/load.ts';
import { Unavailable } from '../../errors/classes.ts';
import { notifyActivity, type DeliverInput } from '../../pipelines/notify.ts';
import { taskQueueOf } from '../../store/store-id.ts';
import { createAlerts } from '../../workers/alerts.ts';
import { configured } from '../config/support.ts';

const workflow = { id: 'run-1', runId: 'a' };
const occasion: DeliverInput['occasion'] = { id: 'run-1/failed/a', on: 'failed', at: '2026-01-01T00:00:00Z', workflow, step: 'each[1].a' };
let run: DeliverInput['run'];
let sent: AlertDocument[];

beforeEach(async () => {
  const root = await mkdtemp(join(tmpdir(), 'portolan-alerts-'));
  taskQueueOf(root);
  await mkdir(join(root, 'run-1'));
  run = { id: 'run-1', pipeline: 'moon', store: pathToFileURL(join(root, 'run-1')).href, baseDir: root, host: 'here' };
  sent = [];
});

type Attempt = Partial<Pick<Channel, 'kind' | 'repeats'>> & { page?: string; channel?: string; givenUp?: string };

/** One attempt to send the alert, by a worker of its own; `outcome` is what becomes of it. */
function attempt(number: number, outcome: () => Outcome, { page, channel = 'ops', givenUp, ...how }: Attempt = {}): Promise<unknown> {
  const activities = createAlertActivities({
    confirm: async () => 'held',
    protect: everyProtection,
    page: () => page,
    channel: (name) => ({
      name,
      kind: 'webhook',
      repeats: true,
      ...how,
      async send(document) {
        sent.push(document);
        return outcome();
      },
    }),
  });
  const environment = new MockActivityEnvironment({ attempt: number, activityId: 'ops', startToCloseTimeoutMs: 60_000 });
  return environment.run(activities[notifyActivity], { run, occasion, channel, ...(givenUp === undefined ? {} : { givenUp }) });
}

const arrives = (): Outcome => ({ is: 'sent', note: '200' });
const fails = (error: Error) => (): never => {
  throw error;
};

test('an alert says at every attempt, and in every channel, what it said at the first', async () => {
  // The page of a worker that was configured anew is another one.
  await expect(attempt(1, () => ({ is: 'again', note: '503', afterMs: 0 }), { page: 'http://a' })).rejects.toThrow("webhook 'ops': 503");
  expect(await attempt(2, arrives, { page: 'http://b' })).toMatchObject({ is: 'sent' });
  expect(await attempt(3, arrives, { page: 'http://c', channel: 'mail' })).toMatchObject({ is: 'sent' });
  expect(sent).toHaveLength(3);
  expect(new Set(sent.map((document) => JSON.stringify(document))).size).toBe(1);
  expect(sent[0]!.links).toEqual({ temporal: 'http://a' });
});

test('a mail whose password was not there for a moment is sent by the next attempt', async () => {
  const mail = { kind: 'mail', repeats: false } as const;
  await expect(attempt(1, fails(new Unavailable('configuration', 'there is no file')), mail)).rejects.toThrow('there is no file');
  expect(await attempt(2, arrives, mail)).toMatchObject({ is: 'sent' });
});

test('an alert that is given up is recorded as failed, or as unknown where an attempt may have sent it', async () => {
  const mail = { kind: 'mail', repeats: false } as const;
  await expect(attempt(1, fails(new Error('its worker ended')), { ...mail, channel: 'one' })).rejects.toThrow('its worker ended');
  const givenUp = 'given up after a day';
  expect(await attempt(2, arrives, { ...mail, channel: 'one', givenUp })).toMatchObject({
    is: 'unknown',
    note: expect.stringContaining(givenUp),
  });
  expect(await attempt(2, arrives, { ...mail, channel: 'two', givenUp })).toMatchObject({ is: 'failed', note: givenUp });
  expect(sent).toHaveLength(1);
});

test('an alert that has arrived is not given up: what is recorded stays', async () => {
  expect(await attempt(1, arrives)).toMatchObject({ is: 'sent', note: '200' });
  expect(await attempt(2, arrives, { givenUp: 'given up after a day' })).toMatchObject({ is: 'sent', note: '200' });
});

test('an alert whose link cannot be made is sent without it', async () => {
  const secret = { file: 'secrets/none' };
  const config = await loadConfig(configured({ temporal: { address: '127.0.0.1:1', namespace: 'n', apiKey: secret } }));
  expect(createAlerts(config).page(workflow)).toBeUndefined();
});

test('an alert that a pipeline is late, or recovered, names the environment and the connections of the runs that are meant', () => {
  const within = { environment: 'prod', connections: { maps: 'acme', instance: 'local' } };
  const late = documentOf({ run, occasion: { id: 'a', on: 'late', at: occasion.at, workflow, within } }, undefined);
  expect(late).toMatchObject({ ...within, text: 'moon is late in prod by instance=local, maps=acme: no run has been done since run-1' });
  const recovered = documentOf({ run, occasion: { id: 'a', on: 'recovered', at: occasion.at, workflow, within } }, undefined);
  expect(recovered).toMatchObject({ ...within, text: 'moon is done again in prod by instance=local, maps=acme (run-1)' });
});
