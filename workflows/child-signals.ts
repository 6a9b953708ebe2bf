import { getExternalWorkflowHandle } from '@temporalio/workflow';
import type { ChildState } from './interpreter/state.ts';
import { signal, type PauseRequest, type ResumeRequest } from './messages.ts';

/** What run `id` asks of the runs beneath it. Each resolves to whether the server knows of such a run. */
export function createChildSignals(id: string) {
  const sent = new Set<Promise<unknown>>();
  /** Sends without waiting; the run does not continue as new before the server has it. */
  const deliver = (child: ChildState, does: (handle: ReturnType<typeof getExternalWorkflowHandle>) => Promise<void>): Promise<boolean> => {
    const done = does(getExternalWorkflowHandle(child.run))
      .then(
        () => true,
        () => false,
      )
      .finally(() => sent.delete(done));
    sent.add(done);
    return done;
  };
  const above = ({ who, note }: PauseRequest): PauseRequest => ({
    who,
    with: id,
    note: `with ${id}${note === undefined || note === '' ? '' : `: ${note}`}`,
  });
  return {
    /** Pauses it as this run is, or lets it go on with it. */
    steer: (child: ChildState, request: PauseRequest | undefined): Promise<boolean> =>
      deliver(child, (handle) =>
        request ? handle.signal(signal.pause, above(request)) : handle.signal(signal.resume, { with: id } satisfies ResumeRequest),
      ),
    /** The server takes it for a run that has ended too. */
    cancel: (child: ChildState): Promise<boolean> => deliver(child, (handle) => handle.cancel()),
    /** Whether it is under way: of one that has ended the server takes no signal. */
    look: (child: ChildState): Promise<boolean> => deliver(child, (handle) => handle.signal(signal.look)),
    /** Resolves when the server has all that was sent. */
    delivered: async (): Promise<void> => void (await Promise.all(sent)),
  };
}
