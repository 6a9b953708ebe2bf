import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { createBundle } from '../test/prove/support-bundle.ts';
import { line } from '../test/prove/proof.ts';
import { writeArrowRows } from '../test/support/arrow-rows.ts';
import { createStack, type Stack } from '../test/support/stack.ts';
import { inPairs, type Bench } from './bench.ts';
import { runScript, startServer } from './support-process.ts';
import { inFlight, partBytes, uploadByRun, type SenderInput, type SenderOutcome } from './support-upload.ts';

const MiB = 1024 * 1024;

/** 1 GiB; few rows, because their insertion is not what is measured. */
const rows = { rows: 131_072, textBytes: 8_160 };

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

/** A new upload at the service. It cannot be given up, so its bytes go from the disk behind the service's back. */
async function serviceTarget(stack: Stack, size: number): Promise<Target> {
  const { upload_id, part_urls } = await stack.api.uploads.start({
    dataset_id: await newDataset(stack),
    file_type: 'feather',
    file_size: size,
    part_size: partBytes,
  });
  return {
    urls: part_urls.map(({ url }) => url),
    [Symbol.asyncDispose]: () => rm(join(stack.state, 'service', 'uploads', upload_id), { recursive: true, force: true }),
  };
}

async function newDataset(stack: Stack): Promise<string> {
  const { organizations } = await stack.api.user.get({});
  const { project_id } = await stack.api.projects.create({
    organization_id: organizations[0]!.organization_id,
    project_name: `upload-${randomUUID()}`,
    unique_id_field: 'id',
  });
  return project_id;
}

/** A bare receiver with its own folder, which goes with it. */
async function bareTarget(folder: string, hash: boolean, parts: number): Promise<Target & { url: string }> {
  const into = await mkdtemp(join(folder, 'bare-'));
  const server = await startServer<{ url: string }>('receiver', { folder: into, hash, rows: rows.rows });
  return {
    url: server.url,
    urls: Array.from({ length: parts }, (_, at) => `${server.url}/${at + 1}`),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(into, { recursive: true, force: true });
    },
  };
}

/** A worker knows its connections when it starts. */
async function connect(stack: Stack, url: string): Promise<void> {
  await writeFile(
    join(stack.dir, 'portolan.config.mts'),
    `export default { connections: { bare: { maps: { url: ${JSON.stringify(url)}, secret: { env: 'PORTOLAN_BENCH_KEY' } } } } };\n`,
  );
  await stack.worker.stop();
  await stack.worker.start(0);
}

export const bench: Bench = {
  name: 'upload',
  what: `1 GiB in parts of 16 MiB, ${inFlight} in flight: the service's intake against a bare node:http server that writes and hashes the same bytes, and the sending of a run's dataset.upload, as a whole, against raw PUTs of the same file`,
  async run({ pairs, note }) {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-bench-upload-'));
    process.env['PORTOLAN_BENCH_KEY'] = 'no-secret';
    try {
      await using bundle = await createBundle();
      await using stack = await createStack({ bundle: bundle.path });
      const file = join(folder, 'rows.arrow');
      await writeArrowRows(file, rows);
      const { size } = await stat(file);
      const parts = Math.ceil(size / partBytes);
      note(`${(size / MiB).toFixed(0)} MiB, ${parts} parts`);
      const service = (): Promise<Target> => serviceTarget(stack, size);
      const bare = (hash: boolean) => (): Promise<Target> => bareTarget(folder, hash, parts);

      const bytes = new Uint8Array(partBytes).map((_, at) => (at * 31) ^ (at >> 8));
      const buffer = (target: () => Promise<Target>) => async (): Promise<number> => {
        await using opened = await target();
        return await sendBuffer(opened.urls.slice(0, Math.floor(size / partBytes)), bytes);
      };
      note('part intake: service / bare server that writes and hashes, MiB/s');
      const intake = await inPairs(pairs, buffer(service), buffer(bare(true)), note);

      const raw = (target: () => Promise<Target>) => async (): Promise<number> => {
        await using opened = await target();
        const { seconds } = await runScript<SenderOutcome>('upload-sender', { file, urls: opened.urls } satisfies SenderInput);
        return size / MiB / seconds;
      };
      note('dataset.upload (CRC-32 of each part) / raw PUTs, to the service, MiB/s');
      const step = async (): Promise<number> => size / MiB / (await uploadByRun(stack, file, await newDataset(stack), 'local'));
      const toService = await inPairs(pairs, step, raw(service), note);

      note('dataset.upload (CRC-32 of each part) / raw PUTs, to a receiver that does not hash, MiB/s');
      const stepBare = async (): Promise<number> => {
        await using opened = await bareTarget(folder, false, parts);
        await connect(stack, opened.url);
        return size / MiB / (await uploadByRun(stack, file, randomUUID(), 'bare'));
      };
      const unhashed = await inPairs(pairs, stepBare, raw(bare(false)), note);

      const figures = ({ ratio, ours: mine, baseline }: typeof intake): string =>
        `${ratio.toFixed(2)} (${mine.toFixed(0)} / ${baseline.toFixed(0)} MiB/s)`;
      return {
        lines: [
          line('part intake, service / bare server that writes and hashes', figures(intake), '≥ 0.60', intake.ratio >= 0.6),
          line('dataset.upload / raw PUTs, to the service', figures(toService), '≥ 0.75', toService.ratio >= 0.75),
          line('dataset.upload / raw PUTs, to a receiver that does not hash', figures(unhashed), '≥ 0.60', unhashed.ratio >= 0.6),
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
