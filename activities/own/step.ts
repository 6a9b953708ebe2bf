import type { OwnStep } from '../../pipelines/own/define.ts';
import type { Activity } from '../frame/activity.ts';
import { act } from './once.ts';
import type { OwnFile } from './thread/host/threads.ts';
import { counted } from './tried.ts';

/** A user's step as the activity of a step. Input and output are checked in the thread: a user's schema is a user's code. */
export const ownStep = (own: OwnStep, file: OwnFile): Activity<any, any, 'call'> => ({
  run: (input, context) =>
    context.threads.use(file, (lease) =>
      counted(own.name, context, { file: file.file, own, name: 'run' }, async () => {
        await lease.ready();
        return act({ own, method: 'run' }, input, lease, context);
      }),
    ),
});
