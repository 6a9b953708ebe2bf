import {
  ApplicationFailure,
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import { answerSignal, type LockAnswer } from '../pipelines/lock.ts';
import type { DecideEvent, Event, State } from './interpreter/state.ts';
import { query, signal, update, type ChildReport, type Decision, type PauseRequest, type ResumeRequest, type RunView } from './messages.ts';

type Around = {
  state: State;
  view: () => RunView;
  /** What has reached the run, in its order, until it looks. */
  events: Event[];
};

/** Gives the view of a run to whoever asks, and makes events of what people, the lock, and runs above and beneath it send. */
export function listen({ state, view, events }: Around) {
  const post = (event: Event): void => void events.push(event);

  setHandler(defineQuery<RunView>(query.view), view, { description: 'The run with its steps' });
  setHandler(defineQuery<RunView>(query.closedView), view, { description: 'The same, of a run that is over' });
  setHandler(defineSignal<[PauseRequest]>(signal.pause), (request) => post({ is: 'pause', request }), {
    description: 'Send nothing new; what is under way ends',
  });
  setHandler(defineSignal<[ResumeRequest?]>(signal.resume), (by) =>
    post({ is: 'resume', ...(by?.with !== undefined && { with: by.with }) }),
  );
  let answer: Event | undefined;
  setHandler(defineSignal<[LockAnswer]>(answerSignal), (given) => post((answer = { is: 'answered', answer: given })), {
    description: 'The lock reports whether the run has its key',
  });
  const decide = async (decision: Decision): Promise<void> => {
    const event: DecideEvent = { is: 'decide', decision };
    post(event);
    // A gate under `finally` is decided in a run that is cancelled too.
    await CancellationScope.nonCancellable(() => condition(() => !events.includes(event)));
    // The gate may have expired, or the run ended, in the same moment. Of a gate in a turn that has ended by now no state is left.
    if (!event.taken) throw noSuchGate(state, decision.step);
  };
  setHandler(defineUpdate<void, [Decision]>(update.decide), decide, {
    description: 'Approve or reject a gate',
    // What is refused here leaves nothing in the history; of those that come together the first one that is looked at is taken.
    validator: ({ step }) => {
      if (state.steps[step]?.status !== 'approval') throw noSuchGate(state, step);
    },
  });

  return {
    /** What the lock has answered so far. */
    answer: (): Event[] => (answer ? [answer] : []),
    /** What comes from beneath waits until the run has begun. */
    listenBelow(): void {
      setHandler(defineSignal<[ChildReport]>(signal.report), (report) => post({ is: 'report', report }), {
        description: 'How the run of a step stands',
      });
      setHandler(defineSignal(signal.look), () => undefined, { description: 'Nothing: whoever sends it learns that the run is there' });
    },
  };
}

function noSuchGate({ steps }: State, step: string): ApplicationFailure {
  const decision = steps[step]?.decision;
  const by = decision ? `: ${decision.who} ${decision.approve ? 'approved' : 'rejected'} it` : '';
  return ApplicationFailure.nonRetryable(`step '${step}' waits for no decision${by}`, 'NoSuchGate');
}
