import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { line } from '../test/prove/proof.ts';
import { inPairs } from './bench.ts';
import type { Bench } from './bench.ts';
import { runScript, startServer } from './support-process.ts';
import { startService } from './support-service.ts';
import { inFlight, partBytes, writeParts } from './support-upload.ts';
import type { SenderInput, SenderOutcome } from './support-upload.ts';

const MiB = 1024 * 1024;
/** 1 GiB. */
const PARTS = 64;

const putBuffer = (agent: Agent, url: string, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'PUT', agent, headers: { 'content-length': bytes.byteLength } }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`PUT: ${answer.statusCode}`))));
    });
    sent.on('error', reject);
    sent.end(bytes);
  });

/** MiB/s of PUTs of one buffer in memory, from the first to the last answer. */
const sendBuffer = async (urls: readonly string[], bytes: Uint8Array): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const limit = pLimit(inFlight);
  const started = performance.now();
  await Promise.all(urls.map((url) => limit(() => putBuffer(agent, url, bytes))));
  const seconds = (performance.now() - started) / 1_000;
  agent.destroy();
  return (urls.length * bytes.byteLength) / MiB / seconds;
};

type Target = { urls: string[] } & AsyncDisposable;

/** A bare receiver with its own folder, which goes with it. */
const bareTarget = async (folder: string, hash: boolean): Promise<Target> => {
  const into = await mkdtemp(join(folder, 'bare-'));
  const server = await startServer<{ url: string }>('receiver', { folder: into, hash });
  return {
    urls: Array.from({ length: PARTS }, (_, at) => `${server.url}/${at + 1}`),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(into, { recursive: true, force: true });
    },
  };
};

/** A new upload at the service. It cannot be given up, so its bytes go from the disk behind the service's back. */
const serviceTarget = async (service: Awaited<ReturnType<typeof startService>>, dataset: string): Promise<Target> => {
  const { upload_id, part_urls } = await service.call<{ upload_id: string; part_urls: { url: string }[] }>(
    `/v1/project/${dataset}/data/upload/start`,
    { file_type: 'feather', file_size: PARTS * partBytes, part_size: partBytes },
  );
  return {
    urls: part_urls.map(({ url }) => url),
    [Symbol.asyncDispose]: () => rm(join(service.folder, 'uploads', upload_id), { recursive: true, force: true }),
  };
};

export const bench: Bench = {
  name: 'upload',
  what: `1 GiB in ${PARTS} parts, ${inFlight} in flight: the service's intake against a bare node:http server that writes and hashes the same bytes, and dataset.upload's part phase against raw PUTs of the same file`,
  async run({ pairs, note }) {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-bench-upload-'));
    try {
      await using service = await startService();
      const dataset = await service.dataset('upload');
      const ours = (): Promise<Target> => serviceTarget(service, dataset);
      const bare = (hash: boolean) => (): Promise<Target> => bareTarget(folder, hash);

      const bytes = new Uint8Array(partBytes).map((_, at) => (at * 31) ^ (at >> 8));
      const buffer = (target: () => Promise<Target>) => async (): Promise<number> => {
        await using opened = await target();
        return await sendBuffer(opened.urls, bytes);
      };
      note('part intake: service / bare server that writes and hashes, MiB/s');
      const intake = await inPairs(pairs, buffer(ours), buffer(bare(true)), note);

      const file = join(folder, 'file.bin');
      await writeParts(file, PARTS);
      let senders = 0;
      const send = (way: SenderInput['way'], target: () => Promise<Target>) => async (): Promise<number> => {
        await using opened = await target();
        const own = join(folder, `sender-${++senders}`);
        await mkdir(own);
        const { seconds } = await runScript<SenderOutcome>('upload-sender', {
          file,
          folder: own,
          urls: opened.urls,
          way,
        } satisfies SenderInput);
        return (PARTS * partBytes) / MiB / seconds;
      };
      note('dataset.upload (sha256 of each part) / raw PUTs, to the service, MiB/s');
      const toService = await inPairs(pairs, send('step', ours), send('raw', ours), note);
      note('dataset.upload (sha256 of each part) / raw PUTs, to a receiver that does not hash, MiB/s');
      const unhashed = await inPairs(pairs, send('step', bare(false)), send('raw', bare(false)), note);

      const told = ({ ratio, ours: mine, baseline }: typeof intake): string =>
        `${ratio.toFixed(2)} (${mine.toFixed(0)} / ${baseline.toFixed(0)} MiB/s)`;
      return {
        lines: [
          line('part intake, service / bare server that writes and hashes', told(intake), '≥ 0.60', intake.ratio >= 0.6),
          line('dataset.upload / raw PUTs, to the service', told(toService), '≥ 0.75', toService.ratio >= 0.75),
          line('dataset.upload / raw PUTs, to a receiver that does not hash', told(unhashed), '≥ 0.60', unhashed.ratio >= 0.6),
        ],
        figures: {
          intake_ratio: intake.ratio,
          intake_mib_s: intake.ours,
          upload_ratio: toService.ratio,
          upload_mib_s: toService.ours,
          upload_unhashed_ratio: unhashed.ratio,
          upload_unhashed_mib_s: unhashed.ours,
        },
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
