import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { zip, type Part } from '../child/support-workbook.ts';
import { mutate, random } from './support-mutate.ts';

type Pick = (below: number) => number;

/** The parts of a good workbook, in their order. */
async function partsOf(workbook: Buffer): Promise<Part[]> {
  const parts: Part[] = [];
  const read = await fromBufferPromise(workbook, { lazyEntries: true });
  for await (const entry of read.eachEntry())
    parts.push({ name: entry.fileName, bytes: await buffer(await read.openReadStreamPromise(entry)) });
  return parts;
}

/** One of the places where the text has what is looked for; undefined where it has none. */
function oneOf(text: string, found: RegExp, pick: Pick): RegExpExecArray | undefined {
  const all = [...text.matchAll(found)];
  return all[pick(Math.max(1, all.length))];
}

const replaced = (text: string, found: RegExpExecArray | undefined, by: string): string =>
  found ? text.slice(0, found.index) + by + text.slice(found.index + found[0].length) : text;

const element = /<(row|c|v|is|t|si|xf|numFmt|sheet|Relationship|Override)\b(?:[^>]*\/>|.*?<\/\1>)/gs;

const types = ['n', 's', 'str', 'inlineStr', 'b', 'e', 'd'];

/** Ways in which XML is damaged that leave it well-formed more often than not. */
const damages: readonly ((xml: string, pick: Pick) => string)[] = [
  (xml, pick) => replaced(xml, oneOf(xml, element, pick), ''),
  (xml, pick) => {
    const found = oneOf(xml, element, pick);
    return found ? replaced(xml, found, found[0] + found[0]) : xml;
  },
  (xml, pick) => replaced(xml, oneOf(xml, /[0-9]/g, pick), String(pick(10))),
  (xml, pick) =>
    replaced(xml, oneOf(xml, /(?<=>)[^<>]+(?=<)/g, pick), ['', '0', 'x', '-1', '1e5', ' 7 ', '99999999999999999999'][pick(7)]!),
  (xml, pick) => replaced(xml, oneOf(xml, / t="\w+"/g, pick), [...types.map((type) => ` t="${type}"`), ''][pick(types.length + 1)]!),
  (xml, pick) => replaced(xml, oneOf(xml, / [\w:]+="[^"]*"/g, pick), ''),
  (xml, pick) => {
    const [one, other] = [oneOf(xml, element, pick), oneOf(xml, element, pick)];
    return one && other ? replaced(xml, one, other[0]) : xml;
  },
];

/** What a table is made of: damage to other parts shows less. */
const telling = /sheet1|sharedStrings|styles|workbook\.xml|\.rels$/;

/** A damaged copy of a workbook, the same for the same seed: of its bytes, or of one part, packed again with the checksum of the damaged one. */
export async function mutateWorkbook(bytes: Buffer, seed: number): Promise<Buffer> {
  const pick = random(seed);
  if (pick(4) === 0) return mutate(bytes, seed);
  const parts = await partsOf(bytes);
  const chosen = parts.filter(({ name }) => telling.test(name) || pick(4) === 0);
  const part = chosen[pick(chosen.length)]!;
  if (pick(20) === 0) return zip(parts.filter((each) => each !== part));
  const damaged =
    pick(5) === 0 ? mutate(Buffer.from(part.bytes), seed) : damages[pick(damages.length)]!(Buffer.from(part.bytes).toString('utf8'), pick);
  return zip(parts.map((each) => (each === part ? { name: part.name, bytes: damaged } : each)));
}
