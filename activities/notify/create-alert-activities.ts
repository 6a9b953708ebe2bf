import { activityInfo } from '@temporalio/activity';
import type { Channel } from '../../alerts/channels/channel.ts';
import { documentOf } from '../../alerts/document.ts';
import { notifyActivity, type DeliverInput } from '../../pipelines/notify.ts';
import { alertFile, openAlertJournal } from '../../store/alert-journal.ts';
import { guarded, type Guards } from '../frame/guarded.ts';
import { presentStore } from '../frame/present-store.ts';
import { deliver, giveUp } from './deliver.ts';

export type AlertDeps = Guards & {
  /** A channel by its name. Fails with `Unavailable` while the configuration does not have it, and where it sends while it has not its secret. */
  channel: (name: string) => Channel;
  /** Web UI page of a workflow; undefined where no UI is known. */
  page: (workflow: { id: string; runId: string }) => string | undefined;
};

/** What workers do for alerts, by activity type: one attempt to send one, with the journal in the run store of its run. */
export const createAlertActivities = (deps: AlertDeps) => ({
  [notifyActivity]({ run, occasion, channel, givenUp }: DeliverInput): Promise<unknown> {
    const store = presentStore(run.store);
    const { attempt, workflowExecution, activityId } = activityInfo();
    return guarded(
      deps,
      async ({ fence, signal }) => {
        store.check();
        const writer = `${workflowExecution?.runId.slice(-8)}-${activityId.replace('/', '-')}-${attempt}`;
        const journal = openAlertJournal(store, occasion, channel, writer, { lookUp: deps.protect.lookUp });
        try {
          if (givenUp !== undefined) return giveUp(journal, givenUp);
          const document = await store.keepJson(alertFile(occasion), documentOf({ run, occasion }, deps.page(occasion.workflow)));
          return await deliver({ document, channel: deps.channel(channel), journal, fence, signal });
        } finally {
          await journal.close();
        }
      },
      {
        explain: (error) => store.lost() ?? error,
        // What `status` shows while it is tried.
        onError: async (_, { message }) => store.event({ step: occasion.step ?? '', kind: 'alert', cause: message }),
      },
    );
  },
});
