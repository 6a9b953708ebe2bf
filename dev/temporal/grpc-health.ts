import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const service = 'temporal.api.workflowservice.v1.WorkflowService';

// HealthCheckRequest { string service = 1 }, behind gRPC's prefix: not compressed, four bytes of length.
const request = (): Buffer => {
  const message = Buffer.concat([Buffer.from([0x0a, service.length]), Buffer.from(service)]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
};

// HealthCheckResponse { status = 1 }, where SERVING is 1.
const isServing = (body: Buffer): boolean => body.subarray(5).equals(Buffer.from([0x08, 0x01]));

/** Asks a Temporal server's standard gRPC health service once; false on any failure within the bound. */
export const isHealthy = (address: string, timeoutMs = 1_000): Promise<boolean> =>
  new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const end = (answer: boolean): void => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    session.on('error', () => end(false));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const parts: Buffer[] = [];
    stream.on('error', () => end(false));
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => end(isServing(Buffer.concat(parts))));
    stream.end(request());
  });

/** Waits until a Temporal server serves; false when `signal` says to give up. */
export const untilHealthy = async (address: string, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    if (await isHealthy(address)) return true;
    await pause(20);
  }
  return false;
};
