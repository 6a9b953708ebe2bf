import { ActivityFailure, proxyActivities } from '@temporalio/workflow';
import { notifyActivity, type DeliverInput, type NotifyInput } from '../pipelines/notify.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Sends the alert of one occasion to its channels, each for a day at most. What could not be sent is recorded, and fails nothing. */
export async function notifyV1({ run, occasion, to }: NotifyInput): Promise<void> {
  await Promise.all(
    to.map(async (channel) => {
      const input = { run, occasion, channel };
      await send(channel, 'send', day, input).catch(async (error: unknown) => {
        const note = `given up after a day: ${lastOf(error)}`;
        await send(channel, 'record', 60 * minute, { ...input, givenUp: note }).catch(() => undefined);
      });
    }),
  );
}

function send(channel: string, what: 'send' | 'record', longestMs: number, input: DeliverInput): Promise<void> {
  const proxy = proxyActivities<Record<string, (input: DeliverInput) => Promise<void>>>({
    startToCloseTimeout: 10 * minute,
    scheduleToCloseTimeout: longestMs,
    heartbeatTimeout: 3_000,
    retry: { initialInterval: 1_000, backoffCoefficient: 2, maximumInterval: 10 * minute },
    activityId: `${channel}/${what}`,
    summary: `${what === 'send' ? 'alert' : 'could not alert'} ${channel}`,
  });
  return proxy[notifyActivity]!(input);
}

const lastOf = (error: unknown): string => {
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};
