import sharp from 'sharp';
import { expect } from 'vitest';
import { exchange } from '../../client/exchange.ts';
import type { Outgoing } from '../../client/exchange.ts';
import { picture } from '../support/pictures.ts';
import { serveFile } from '../support/file-server.ts';
import { callsOf, createWorld } from '../service/world.ts';
import { refusalOf, usePlace } from './place.ts';
import { proves } from './proves.ts';

const place = usePlace();
const pictures = [await picture(0), await picture(3), await picture(5)];
const blobs = pictures.map((bytes) => new Blob([new Uint8Array(bytes)]));

const close = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

type Given = { model?: string | null; images?: unknown; urls?: string[] };
const embed = (given: Given) => place().calls.invoke('maps.embedding.image', given);
const refused = async (given: Given) => (await refusalOf(embed(given))).status;

proves(
  ['maps:image-embedding/images', 'maps:image-embedding.2/embeddings', 'maps:image-embedding/3'],
  'images as parts of a form have a vector each, in their order, with usage and model',
  async () => {
    const { embeddings, usage, model } = await embed({ model: 'svc-embed-vision-v1', images: blobs });
    expect(embeddings.map(({ length }) => length)).toEqual([768, 768, 768]);
    expect(model).toBe('svc-embed-vision-v1');
    expect(usage).toEqual({ prompt_tokens: usage.total_tokens, total_tokens: 3 * (usage.total_tokens / 3) });
    for (const [at, image] of blobs.entries()) {
      const alone = (await embed({ model: 'svc-embed-vision-v1', images: [image] })).embeddings[0]!;
      expect(embeddings.map((each) => close(each, alone)).indexOf(Math.max(...embeddings.map((each) => close(each, alone))))).toBe(at);
      expect(close(embeddings[at]!, alone)).toBeCloseTo(1, 5);
    }
  },
);

proves(
  ['maps:image-embedding/urls', 'maps:image-embedding/1', 'maps:POST /v1/embedding/image.1'],
  'the same images by their URLs, in an urlencoded form, have the same vectors',
  async () => {
    await using server = await serveFile(pictures[1]!);
    await using world = await createWorld({ outside: { allow: [new URL(server.origin).host] } });
    await world.service.listen();
    const sent: Outgoing[] = [];
    const { invoke } = callsOf(world, world.service.adminKeys.maps, { by: (outgoing) => (sent.push(outgoing), exchange(outgoing)) });
    const urls = [`${server.origin}/one.png`, `${server.origin}/two.png`];
    const byUrl = await invoke('maps.embedding.image', { urls });
    const byBytes = await invoke('maps.embedding.image', { images: [blobs[1]] });
    expect(byUrl.embeddings).toEqual([byBytes.embeddings[0], byBytes.embeddings[0]]);
    expect(server.requests.map(({ path }) => path).toSorted()).toEqual(['/one.png', '/two.png']);
    expect(sent.map(({ headers }) => new Headers(headers).get('content-type')!.split(';')[0])).toEqual([
      'application/x-www-form-urlencoded',
      'multipart/form-data',
    ]);
  },
);

proves(
  ['maps:image-embedding/model', 'maps:image-embedding.2/model', 'maps:POST /v1/embedding/image.2'],
  'there are two models of images, each says its name, and no other is one',
  async () => {
    const [older, newer, untold] = await Promise.all(
      ['svc-embed-vision-v1', 'svc-embed-vision-v1.5', null].map((model) => embed({ model, images: [blobs[0]] })),
    );
    expect([older!.model, newer!.model, untold!.model]).toEqual(['svc-embed-vision-v1', 'svc-embed-vision-v1.5', 'svc-embed-vision-v1.5']);
    // Each has a space of its own.
    expect(Math.abs(close(older!.embeddings[0]!, newer!.embeddings[0]!))).toBeLessThan(0.5);
    expect(untold!.embeddings).toEqual(newer!.embeddings);
    for (const model of ['svc-embed-text-v1', 'svc-embed-vision-v2', '']) expect(await refused({ model, images: [blobs[0]] })).toBe(422);
  },
);

/** The answer to a form as it was written by hand, without the product's own client. */
const sendForm = async (body: FormData | URLSearchParams, { url, adminKeys } = place().service) => {
  const answer = await fetch(`${url}/v1/embedding/image`, { method: 'POST', headers: { authorization: `Bearer ${adminKeys.maps}` }, body });
  return { status: answer.status, body: (await answer.json()) as { embeddings: number[][]; usage: object; model: string } };
};

proves(
  ['maps:image-embedding/urls.1', 'maps:image-embedding/urls.2', 'maps:image-embedding/3#200'],
  'URLs are a form field that is repeated, one for each image, and what is no URL of an image is named by its place',
  async () => {
    await using server = await serveFile(pictures[1]!);
    await using world = await createWorld({ outside: { allow: [new URL(server.origin).host] } });
    await world.service.listen();
    const send = (urls: readonly string[]) =>
      sendForm(new URLSearchParams(urls.map((url): [string, string] => ['urls', url])), world.service);
    const { status, body } = await send([1, 2, 3].map((at) => `${server.origin}/${at}.png`));
    expect([status, Object.keys(body).toSorted()]).toEqual([200, ['embeddings', 'model', 'usage']]);
    expect(body.embeddings).toHaveLength(3);
    expect(server.requests.map(({ path }) => path).toSorted()).toEqual(['/1.png', '/2.png', '/3.png']);
    expect((await send([`${server.origin}/alone.png`])).body.embeddings).toHaveLength(1);
    // A list in one field is one address, and none that can be fetched.
    for (const wrong of [`["${server.origin}/1.png"]`, 'one.png'])
      expect(await send([`${server.origin}/1.png`, wrong])).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'urls', 1] }] },
      });
  },
);

proves(
  ['maps:image-embedding/images.1', 'maps:image-embedding/images.2'],
  'images are the bytes of their files in parts of one name, and no writing of them',
  async () => {
    const form = (...images: (string | Uint8Array<ArrayBuffer>)[]): FormData => {
      const made = new FormData();
      for (const image of images) made.append('images', new Blob([image]), 'images');
      return made;
    };
    const raw = pictures.map((bytes) => new Uint8Array(bytes));
    for (const count of [1, 2, 3]) {
      const { status, body } = await sendForm(form(...raw.slice(0, count)));
      expect([status, body.embeddings.length]).toEqual([200, count]);
    }
    for (const written of [pictures[0]!.toString('base64'), `data:image/png;base64,${pictures[0]!.toString('base64')}`])
      expect(await sendForm(form(raw[0]!, written))).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'images', 1] }] } });
  },
);

proves(
  ['maps:image-embedding.2/model.1', 'maps:image-embedding.2/model.2'],
  'the answer names the model whose vectors it holds, one of those that a request may name',
  async () => {
    const models = ['svc-embed-vision-v1', 'svc-embed-vision-v1.5'];
    const answers = await Promise.all(models.map((model) => embed({ model, images: [blobs[2]] })));
    expect(answers.map(({ model }) => model)).toEqual(models);
    const unnamed = await embed({ images: [blobs[2]] });
    expect(models).toContain(unnamed.model);
    // Its vectors are those of the model that it names, and of no other.
    for (const { model, embeddings } of answers)
      expect(close(embeddings[0]!, unnamed.embeddings[0]!) > 0.999, model).toBe(model === unnamed.model);
    for (const { model } of answers) expect((await embed({ model, images: [blobs[2]] })).model).toBe(model);
  },
);

proves(
  ['maps:image-embedding/2', 'maps:limits/image-formats-.png-.jpeg-.webp'],
  'PNG, JPEG and WebP are taken, and nothing else is',
  async () => {
    const open = () => sharp(pictures[0]);
    const taken = await Promise.all([open().png(), open().jpeg(), open().webp()].map((image) => image.toBuffer()));
    const { embeddings } = await embed({ images: taken.map((bytes) => new Blob([new Uint8Array(bytes)])) });
    for (const each of embeddings) expect(close(each, embeddings[0]!)).toBeGreaterThan(0.97);
    const others = await Promise.all([open().gif(), open().tiff()].map((image) => image.toBuffer()));
    for (const bytes of [...others, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')])
      expect(await refused({ images: [new Blob([new Uint8Array(bytes)])] })).toBe(422);
  },
);

proves(
  ['maps:image-embedding.2/usage', 'maps:image-embedding.2/usage#prompt_tokens'],
  'usage counts what was read of the images, and grows with them',
  async () => {
    const used = async (count: number) => (await embed({ images: blobs.slice(0, count) })).usage;
    const [one, three] = [await used(1), await used(3)];
    expect(one).toEqual({ prompt_tokens: expect.any(Number), total_tokens: one.prompt_tokens });
    expect(one.prompt_tokens).toBeGreaterThan(0);
    expect(three.prompt_tokens).toBe(one.prompt_tokens * 3);
  },
);

proves(
  ['maps:POST /v1/embedding/image#422'],
  'an image that cannot be decoded is named by its place, and both kinds of images or none are refused',
  async () => {
    const broken = new Blob([new Uint8Array(pictures[0]!.subarray(0, 900))]);
    const { status, body } = await refusalOf(embed({ images: [blobs[0], broken, new Blob(['text'])] }));
    expect(status).toBe(422);
    expect(JSON.parse(String(body)).detail.map(({ loc }: { loc: unknown[] }) => loc)).toEqual([
      ['body', 'images', 1],
      ['body', 'images', 2],
    ]);
    const form = new FormData();
    form.append('images', blobs[0]!);
    form.append('urls', 'https://example.com/a.png');
    const headers = { authorization: `Bearer ${place().service.adminKeys.maps}` };
    const { url } = place().service;
    for (const given of [form, new FormData()])
      expect((await fetch(`${url}/v1/embedding/image`, { method: 'POST', headers, body: given })).status).toBe(422);
  },
);
