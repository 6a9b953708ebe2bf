import { setTimeout as pause } from 'node:timers/promises';

const service = 'temporal.api.workflowservice.v1.WorkflowService';

/** Asks a Temporal server's standard gRPC health service once; false on any failure within the bound. */
export const isHealthy = async (address: string, timeoutMs = 1_000): Promise<boolean> => {
  // Loaded when it is needed: most commands ask for no health.
  const { Connection } = await import('@temporalio/client');
  // Its own repeats would go on after the bound.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    const { status }: { status: number } = await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.healthService.check({ service }),
    );
    // SERVING of grpc.health.v1.HealthCheckResponse.
    return status === 1;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
};

/** Waits until a Temporal server serves; false when `signal` says to give up. */
export const untilHealthy = async (address: string, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    if (await isHealthy(address)) return true;
    await pause(20);
  }
  return false;
};
