import { ApplicationFailure } from '@temporalio/common';
import type { Channel, Outcome } from '../../alerts/channels/channel.ts';
import type { AlertDocument } from '../../alerts/document.ts';
import { Unavailable } from '../../errors/classes.ts';
import type { AlertJournal, Delivery } from '../../store/alert-journal.ts';

export type Delivering = {
  document: AlertDocument;
  channel: Channel;
  journal: AlertJournal;
  /** Passed before it is sent. */
  fence: () => Promise<void>;
  signal: AbortSignal;
};

/**
 * Sends an alert to a channel unless the journal says that it was. Where an attempt ended and nobody knows how, a channel whose
 * receiver knows alerts by their id gets it again, another one does not.
 */
export async function deliver({ document, channel, journal, fence, signal }: Delivering): Promise<Delivery> {
  const known = journal.known();
  if (known.is === 'over') return known.delivery;
  if (known.is === 'begun' && !channel.repeats)
    return journal.over({ is: 'unknown', note: 'its worker ended while it was sent; not sent again' });
  await fence();
  await journal.begin(channel.kind);
  const outcome = await channel.send(document, signal).catch((error: unknown) => {
    // A secret was not there: nothing has left.
    if (error instanceof Unavailable) journal.withdraw();
    throw error;
  });
  if (outcome.is === 'again') {
    journal.withdraw();
    throw notDelivered(channel, outcome);
  }
  if (outcome.is === 'unknown' && channel.repeats) throw notDelivered(channel, outcome);
  return journal.over({ is: outcome.is, note: outcome.note });
}

/** Records an alert that is sent no more. What an attempt had begun, and did not end, may have arrived. */
export function giveUp(journal: AlertJournal, note: string): Delivery {
  const known = journal.known();
  if (known.is === 'over') return known.delivery;
  return journal.over(
    known.is === 'begun' ? { is: 'unknown', note: `${note}; an attempt ended while it was sent` } : { is: 'failed', note },
  );
}

/** The next attempt follows the policy of the activity, and comes no sooner than the receiver asks for. */
const notDelivered = ({ name, kind }: Channel, outcome: Outcome): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'NotDelivered',
    message: `${kind} '${name}': ${outcome.note}`.toWellFormed(),
    ...('afterMs' in outcome && outcome.afterMs > 0 ? { nextRetryDelay: Math.max(1_000, outcome.afterMs) } : {}),
  });
