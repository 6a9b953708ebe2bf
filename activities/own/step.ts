import type { OwnStep } from '../../pipelines/own/define.ts';
import type { Activity } from '../frame/activity.ts';
import { act } from './once.ts';
import type { OwnFile } from './thread/host/threads.ts';
import { counted } from './tried.ts';
import { withThread } from './with-thread.ts';

/** A user's step as the activity of a step. Input and output are checked in the thread: a user's schema is a user's code. */
export const ownStep = (own: OwnStep, file: OwnFile): Activity<any, any, 'call'> => ({
  run: (input, context) =>
    withThread(file, { own, name: 'run' }, context, (lease, called) =>
      counted(called, lease, context, () => act({ own, method: 'run' }, input, lease, context)),
    ),
});
