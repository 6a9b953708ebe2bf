import type { HttpBindings } from '@hono/node-server';
import type { HeldFolder } from '../core/hold-folder.ts';
import { jsonAnswer } from './answer.ts';

type Answer = (request: Request, bindings?: HttpBindings) => Response | Promise<Response>;

/** The requests of a service, answered while its data folder is there; 503 from when it is gone. */
export const createRequests = (folder: HeldFolder, answer: Answer) => {
  // Requests whose client went away take effect too, and the files stay open for them.
  const underWay = new Set<Promise<Response>>();
  const gone = (): Response =>
    jsonAnswer({ detail: `the data folder ${folder.path} is gone: put it back; a service that is started without it begins empty` }, 503, {
      'retry-after': '5',
    });
  /** What was done while the folder lost its name is lost with it: such an answer is not given. */
  const kept = async (request: Request, bindings?: HttpBindings): Promise<Response> => {
    if (!folder.isThere()) return gone();
    const response = await answer(request, bindings);
    return folder.isThere() ? response : gone();
  };
  return {
    answer(request: Request, bindings?: HttpBindings): Promise<Response> {
      const answering = kept(request, bindings).finally(() => underWay.delete(answering));
      underWay.add(answering);
      return answering;
    },
    /** Resolves when all that are under way have ended. */
    ended: async (): Promise<void> => void (await Promise.allSettled(underWay)),
  };
};
