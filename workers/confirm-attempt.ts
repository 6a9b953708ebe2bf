import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { Heartbeat } from '../pipelines/phases.ts';
import type { Standing } from '../activities/frame/fence.ts';

/** gRPC: the server knows no such attempt, or the question is none that it could answer for it. */
const gone = new Set([3, 5, 9]);

/** The part of the server that is asked. */
type Server = {
  workflowService: {
    recordActivityTaskHeartbeat(heartbeat: {
      namespace: string;
      taskToken: Uint8Array;
      details: { payloads: Payload[] };
    }): Promise<unknown>;
  };
};

/**
 * Asks the server whether an attempt is still its worker's: a heartbeat by its token, which the library neither delays nor
 * leaves out. `latest` is the attempt's last one; a heartbeat without it would take it away.
 */
export const createConfirm =
  (connection: Server, namespace: string) =>
  async (taskToken: Uint8Array, latest: Heartbeat): Promise<Standing> => {
    const details = { payloads: [defaultPayloadConverter.toPayload(latest)] };
    try {
      await connection.workflowService.recordActivityTaskHeartbeat({ namespace, taskToken, details });
      return 'held';
    } catch (error) {
      return gone.has((error as { code?: number }).code ?? -1) ? 'given away' : 'unreachable';
    }
  };
