import { readFileSync } from 'node:fs';
import { cp, glob, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { createCalls, type Calls } from '../../client/invoke.ts';
import { ApiError } from '../../client/errors.ts';
import { createPermits } from '../../client/permits.ts';
import { operations, serviceOf, type OperationName } from '../../contracts/index.ts';
import type { Endpoint } from '../../contracts/endpoint.ts';
import { root } from '../../scripts/sources.mjs';
import { HttpError } from '../../service/core/errors.ts';
import { checkDeclared } from '../../service/http/check-declared.ts';
import { createControl } from '../support/control.ts';
import { readyFile } from '../support/ready-file.ts';
import { startService, type Running } from './running.ts';
import { arrowFile, built, createProject, indexOrder, unlimited } from './world.ts';

const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { peerDependencies: Record<string, string> };

const folders = [
  'arrow',
  'child',
  'client',
  'config',
  'contracts',
  'errors',
  'files',
  'pipelines',
  'reach',
  'service',
  'test/service',
  'text',
];

/** The sources of the service with every package of a project beside them but the optional ones. */
async function withoutPeers(): Promise<string> {
  const bare = await mkdtemp(join(tmpdir(), 'portolan-bare-'));
  for (const each of [...folders, 'package.json']) await cp(join(root, each), join(bare, each), { recursive: true });
  const packages = join(root, 'node_modules');
  for (const name of await readdir(packages)) {
    const scoped = name.startsWith('@') ? (await readdir(join(packages, name))).map((each) => `${name}/${each}`) : [name];
    await mkdir(join(bare, 'node_modules', name.startsWith('@') ? name : ''), { recursive: true });
    for (const each of scoped) if (!(each in peerDependencies)) await symlink(join(packages, each), join(bare, 'node_modules', each));
  }
  return bare;
}

let bare: string;
let running: Running;
let maps: Calls;
let instance: Calls;
beforeAll(async () => {
  bare = await withoutPeers();
  running = await startService(join(bare, 'data'), { provider: 'semantic' }, bare);
  await unlimited(running);
  await createControl(() => running.ready.url).agents({ pace: { from: 0, to: 0 } });
  const callsOf = (token: string): Calls => createCalls(() => ({ baseUrl: running.ready.url, token, permits: createPermits() }));
  maps = callsOf(running.ready.adminKeys.maps);
  instance = callsOf(running.ready.adminKeys.instance);
});
afterAll(async () => {
  await running?.kill();
  if (bare) await rm(bare, { recursive: true, force: true });
});

/** A map of vectors of one's own: no text was embedded for it. */
async function ownMap(): Promise<string> {
  const { project_id } = await createProject(running, 'own vectors');
  const points = Array.from({ length: 25 }, (_, at) => at);
  const vectors = points.map((at) => Array.from({ length: 768 }, (_point, place) => Number(at === place)));
  await maps.invoke('maps.data.addArrow', {
    body: arrowFile(
      { project_id },
      {
        id: { type: new Utf8(), values: points.map(String) },
        _embeddings: { type: new FixedSizeList(768, new Field('item', new Float32(), true)), values: vectors },
      },
    ),
  });
  const { body } = await running.api.post('/v1/project/index/create', indexOrder(project_id, { indexed_field: null, model: null }));
  expect(await built(running.api, body.job_id)).toBe('Completed');
  return body.projection_id;
}

/** A review of drawings that an agent has made. */
async function review(): Promise<{ id: string; artifactId: string }> {
  const { id: fileId } = await readyFile(instance, 'plan.txt', 'Door widths TBD by owner.');
  const { id } = await instance.invoke('instance.agents.launch', { prompt: { text: 'Review the drawings.' }, fileIds: [fileId] });
  for (;;) {
    const { status, artifacts } = await instance.invoke('instance.agents.get', { id });
    if (status === 'finished') return { id, artifactId: artifacts![0]!.id };
    expect(status).not.toBe('failed');
    await pause(20);
  }
}

const nobody = '00000000-0000-4000-8000-000000000000';

/** What makes the service say 501, by the file that says it: each an operation, and the package or setting that is missing. */
const occasions: Readonly<Record<string, readonly { operation: OperationName; send: () => Promise<unknown>; names: RegExp }[]>> = {
  'service/engine/embedding/provider.ts': [
    { operation: 'maps.embedding.text', send: () => maps.invoke('maps.embedding.text', { texts: ['ship'] }), names: /@energetic-ai/ },
    {
      operation: 'maps.query.topk',
      send: async () => maps.invoke('maps.query.topk', { projection_id: await ownMap(), k: 1, fields: [], query: 'ship' }),
      names: /@energetic-ai/,
    },
  ],
  'service/engine/embedding/vision.ts': [
    {
      operation: 'maps.embedding.image',
      send: () => maps.invoke('maps.embedding.image', { images: [new Blob(['any bytes'])] }),
      names: /sharp/,
    },
  ],
  'service/engine/agents/exports/review-fonts.ts': [
    {
      operation: 'instance.agents.export',
      send: async () => instance.invoke('instance.agents.export', { ...(await review()), format: 'drawing_review_pdf' }),
      names: /pdfkit and pdfjs-dist/,
    },
  ],
  'service/apis/instance/parse.ts': [
    {
      operation: 'instance.parse.submit',
      send: () => instance.invoke('instance.parse.submit', { fileVersionId: nobody, options: { ocrLanguage: 'latin' } }),
      names: /tesseract/,
    },
  ],
};

test('every place of the service that says 501 has its occasion here', async () => {
  const found = [];
  for await (const path of glob('service/**/*.ts', { cwd: root })) {
    const text = await readFile(join(root, path), 'utf8');
    if (/\bnotHere\(/.test(text)) found.push(path);
    // It is said by this function alone.
    expect([path, /HttpError\(\s*501/.test(text)]).toEqual([path, path === 'service/core/errors.ts']);
  }
  expect(found.toSorted()).toEqual(Object.keys(occasions).toSorted());
});

test.each(Object.values(occasions).flat())(
  '$operation without its optional packages is refused by a 501 that names them, as contract and OpenAPI declare',
  async ({ operation, send, names }) => {
    const refused = await send().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    expect([(refused as ApiError).status, (refused as ApiError).message]).toEqual([501, expect.stringMatching(names)]);
    const { method, path, refuses }: Endpoint = operations[operation];
    expect(refuses).toHaveProperty('501');
    const document = serviceOf(operation) === 'maps' ? '/v1/openapi.json' : '/api/v0/openapi.json';
    const { paths } = (await (await fetch(running.ready.url + document)).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
    };
    expect(paths[path]![method.toLowerCase()]!.responses['501']!.description).toBe(refuses![501]);
  },
);

test('where answers are checked, a 501 or 502 that the contract of the operation does not declare is a mistake of the service', () => {
  const check = (operation: OperationName, status: number) => () =>
    checkDeclared(operation, operations[operation], new HttpError(status, 'a package is missing'));
  expect(check('maps.health.get', 501)).toThrow('maps.health.get refuses by 501, which its contract does not declare');
  expect(check('maps.embedding.image', 502)).toThrow('does not declare');
  for (const status of [501, 502]) expect(check('maps.embedding.text', status)).not.toThrow();
  expect(check('maps.health.get', 503)).not.toThrow();
});
