import { BadInput } from '../../../../errors/classes.ts';
import { namespaces } from '../office/namespaces.ts';
import type { Package } from '../office/package.ts';
import { relationshipsOf } from '../office/relationships.ts';
import type { DateSystem } from './serial.ts';
import { attributeOf, flagOf, readWhole, type XmlTag } from '../office/xml.ts';

/** A sheet with cells; `part` is undefined for one without, such as a chart. */
export type Sheet = { name: string; isVisible: boolean; part: string | undefined };

/** What a workbook says of itself, and where its parts are. */
export type Workbook = {
  sheets: Sheet[];
  dates: DateSystem;
  /** The values of formulas are those of no calculation: its writer has asked for one. */
  isUncalculated: boolean;
  strings: string | undefined;
  styles: string | undefined;
};

const referenceOf = ({ attributes }: XmlTag): string | undefined =>
  Object.values(attributes).find(({ local, uri }) => local === 'id' && namespaces.reference.test(uri))?.value;

/** Reads the list of sheets. Fails with `BadInput` where the package is no workbook. */
export async function readWorkbook(parts: Package): Promise<Workbook> {
  const main = (await relationshipsOf(parts, '')).find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new BadInput('bad_input', 'is a zip archive and no workbook; unpack it first');
  if (main.endsWith('.bin')) throw new BadInput('bad_input', 'is a binary workbook (.xlsb), which is not supported; save it as .xlsx');
  const named = await relationshipsOf(parts, main);
  const target = (type: string): string | undefined => named.find((each) => each.type === type)?.target;
  const worksheets = new Map(named.flatMap(({ id, type, target: part }) => (type === 'worksheet' ? [[id, part]] : [])));
  const sheets: Sheet[] = [];
  const names = new Map<string, string>();
  let early: DateSystem = '1900';
  let is1904 = false;
  let isUncalculated = false;
  await readWhole(parts, main, namespaces.sheets, {
    open(name, tag, parent) {
      if (parent === '' && name !== 'workbook') throw new BadInput('bad_input', `is no workbook: ${main} is <${tag.name}>`);
      if (name === 'fileVersion' && attributeOf(tag, 'appName') === 'Calc') early = '1899';
      if (name === 'workbookPr') {
        is1904 = flagOf(attributeOf(tag, 'date1904')) ?? false;
        if (flagOf(attributeOf(tag, 'dateCompatibility')) === false) early = '1899';
      }
      if (name === 'calcPr') isUncalculated = flagOf(attributeOf(tag, 'fullCalcOnLoad')) ?? false;
      if (name === 'sheet' && parent === 'sheets') {
        const called = attributeOf(tag, 'name') ?? '';
        const before = names.get(called.toLowerCase());
        if (before !== undefined)
          throw new BadInput(
            'bad_input',
            `has two sheets of one name, ${before} and ${called} (case is ignored), which no spreadsheet program makes; give one another name`,
          );
        names.set(called.toLowerCase(), called);
        sheets.push({
          name: called,
          isVisible: (attributeOf(tag, 'state') ?? 'visible') === 'visible',
          part: worksheets.get(referenceOf(tag) ?? ''),
        });
      }
    },
  });
  return { sheets, dates: is1904 ? '1904' : early, isUncalculated, strings: target('sharedStrings'), styles: target('styles') };
}
