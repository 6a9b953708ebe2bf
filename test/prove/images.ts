import { createHash } from 'node:crypto';
import { createImages } from '../../child/host/create-images.ts';
import { duration } from '../../text/units.ts';
import { callsOf, createWorld } from '../service/world.ts';
import { brokenImages, imageBombs, type Hostile } from '../support/image-bombs.ts';
import { disguises, picture, pictureKinds } from '../support/pictures.ts';
import { line, type Line, type Proof } from './proof.ts';

const count = 100;
/** Of 100 pictures so many are nearest to themselves. */
const least = 95;
/** Images of one call. */
const perCall = 20;

type Embed = (images: readonly Buffer[]) => Promise<number[][]>;

const product = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0);

/** How many of these vectors are nearest to the one of their own number. */
const own = (vectors: readonly number[][], among: readonly number[][]): number =>
  vectors.filter((vector, at) => {
    const likeness = among.map((each) => product(vector, each));
    return likeness.indexOf(Math.max(...likeness)) === at;
  }).length;

/** The control: vectors that follow from the bytes alone, as made-up ones do. */
const fromBytes: Embed = async (images) =>
  images.map((bytes) =>
    Array.from({ length: 24 }, (_, at) => createHash('sha256').update(bytes).update(String(at)).digest()).flatMap((digest) =>
      Array.from(digest, (byte) => byte - 127.5),
    ),
  );

/** Whether each hostile file ends in a verdict, and a picture is described as ever behind all of them. */
async function verdicts(hostile: readonly Hostile[]): Promise<Line[]> {
  const images = createImages();
  try {
    const before = await images.describe('picture', await picture(0));
    const others: string[] = [];
    let longest = 0;
    for (const { name, bytes } of hostile) {
      const began = performance.now();
      const fate = await images.describe(name, bytes).then(
        () => 'described',
        (error: Error) => error.name,
      );
      longest = Math.max(longest, performance.now() - began);
      if (fate !== 'BadInput') others.push(`${name}: ${fate}`);
    }
    const after = await images.describe('picture', await picture(0));
    const same = after.visual.every((value, at) => value === before.visual[at]);
    return [
      line(
        'decompression bombs and broken images that are verdicts',
        `${hostile.length - others.length} of ${hostile.length}`,
        'all',
        others.length === 0,
      ),
      ...others.map((other) => line('no verdict', other, 'none', false)),
      line('longest time that one of them took', duration(longest), 'told', true),
      line('a picture behind them is described as before them', same ? 'equal' : 'otherwise', 'equal', same),
    ];
  } finally {
    await images.close();
  }
}

export const proof: Proof = {
  name: 'images',
  sets: ['maps'],
  what: 'the same picture in another encoding, size or crop is nearest to itself; bombs and broken images are verdicts',
  async run({ note }) {
    const pictures = await Promise.all(Array.from({ length: count }, (_, at) => picture(at)));
    note(`${count} pictures of ${pictureKinds.length} kinds: ${pictureKinds.join(', ')}`);
    const bombs = await imageBombs();
    const hostile = [...bombs, ...(await brokenImages(100 - bombs.length))];

    await using world = await createWorld();
    await world.service.listen();
    const { invoke } = callsOf(world, world.service.adminKeys.maps);
    const embed: Embed = async (list) => {
      const vectors: number[][] = [];
      for (let at = 0; at < list.length; at += perCall) {
        const part = list.slice(at, at + perCall).map((bytes) => new Blob([new Uint8Array(bytes)]));
        vectors.push(...(await invoke('maps.embedding.image', { images: part })).embeddings);
      }
      return vectors;
    };

    const began = performance.now();
    const originals = await embed(pictures);
    note(`${count} pictures embedded in ${duration(performance.now() - began)}`);
    const made = await fromBytes(pictures);
    const lines: Line[] = [];
    let guessed = 0;
    for (const [name, disguise] of Object.entries(disguises)) {
      const others = await Promise.all(pictures.map(disguise));
      const found = own(await embed(others), originals);
      guessed = Math.max(guessed, own(await fromBytes(others), made));
      lines.push(line(`nearest to itself as ${name}`, `${found} of ${count}`, `≥ ${least}`, found >= least));
    }
    return [
      ...lines,
      line('control: vectors that follow from the bytes, at best', `${guessed} of ${count}`, `< ${least}`, guessed < least),
      ...(await verdicts(hostile)),
    ];
  },
};
