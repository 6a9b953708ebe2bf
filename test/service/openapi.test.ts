import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations, serviceNames, serviceOf } from '../../contracts/index.ts';
import { createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const paths = { maps: '/v1/openapi.json', instance: '/api/v0/openapi.json' } as const;
const titles = { maps: ['Data map API', 'v0.57.0'], instance: ['Instance administration API', 'v0'] };

/** Without a key. */
const read = async (path: string) => {
  const answer = await world.service.fetch(new Request(`http://127.0.0.1${path}`));
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};

describe.each(serviceNames)('the OpenAPI document of %s', (service) => {
  test('is valid by a validator that is not ours, and has the title and version of the text', async () => {
    const { status, type, text } = await read(paths[service]);
    expect([status, type]).toEqual([200, 'application/json']);
    const document = JSON.parse(text);
    expect([document.openapi, document.info.title, document.info.version]).toEqual(['3.1.0', ...titles[service]]);
    const validator = new Validator();
    expect(await validator.validate(document)).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    // The control: a document that is not valid is seen.
    const { info: _, ...broken } = document;
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test('has every operation of the contracts once at its own address, each with its own id', async () => {
    const document = JSON.parse((await read(paths[service])).text) as { paths: Record<string, Record<string, { operationId: string }>> };
    const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { method, path }] of Object.entries(operations))
      if (serviceOf(name as keyof typeof operations) === service)
        expect(document.paths[path]![method.toLowerCase()]!.operationId).toBe(name);
  });

  test('is a page of its own, with every operation', async () => {
    await world.service.listen();
    const page = await (await fetch(`${world.service.url}/reference/${service}`)).text();
    for (const name of Object.keys(operations))
      if (serviceOf(name as keyof typeof operations) === service) expect(page).toContain(`id="${name}"`);
    expect(page).toContain(paths[service]);
  });
});

test('an operation says what it takes, what it answers, who may send it and by what it refuses', async () => {
  const { paths: described, components } = JSON.parse((await read(paths.maps)).text);
  const topk = described['/v1/query/topk'].post;
  const body = topk.requestBody.content['application/json'].schema;
  expect(body.required).toEqual(['projection_id', 'k', 'fields', 'query']);
  expect(components.schemas.Selection.properties.filters.items).toEqual({ $ref: '#/components/schemas/Filter' });
  expect(Object.keys(topk.responses)).toEqual(['200', '400', '401', '403', '404', '413', '422', '429', '501', '502']);
  const usage = described['/v1/organization/{organization_id_or_slug}/usage/{usage_type}/within_limit'].get;
  expect(usage.security).toEqual([{ bearer: [] }]);
  expect(usage.parameters.map(({ name, in: place }: { name: string; in: string }) => [name, place])).toEqual([
    ['organization_id_or_slug', 'path'],
    ['usage_type', 'path'],
    ['offset_number', 'query'],
    ['limit', 'query'],
  ]);
  expect(described['/v1/health/'].get.security).toEqual([]);
  expect(Object.keys(described['/v1/project/data/add/arrow'].post.requestBody.content)).toEqual(['application/octet-stream']);
  expect(Object.keys(described['/v1/project/data/add/arrow'].post.responses['413'].content)).toEqual(['text/plain']);
});
