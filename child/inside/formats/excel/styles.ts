import { BadInput } from '../../../../errors/classes.ts';
import { namespaces } from '../office/namespaces.ts';
import { kindOfId, type FormatKind } from './number-format.ts';
import type { Package } from '../office/package.ts';
import { attributeOf, readWhole } from '../office/xml.ts';

/** What the numbers of a style are: undefined for plain ones. Fails with `BadInput` where there is no such style, no such format, or one that may be either. */
export type Styles = (style: number) => FormatKind | undefined;

/** Formats from this id on are written out in the workbook (ECMA-376 18.8.30). */
const firstOwn = 164;

/** Reads the styles of a workbook; one without them has plain numbers alone. */
export async function readStyles(parts: Package, part: string | undefined): Promise<Styles> {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  if (part !== undefined)
    await readWhole(parts, part, namespaces.sheets, {
      open(name, tag, parent) {
        const id = Number(attributeOf(tag, 'numFmtId') ?? 0);
        if (name === 'numFmt' && parent === 'numFmts') codes.set(id, attributeOf(tag, 'formatCode') ?? '');
        if (name === 'xf' && parent === 'cellXfs') ids.push(id);
      },
    });
  const kinds = ids.map((id) => kindOfId(id, codes));
  return (style) => {
    if (style !== 0 && !(style in kinds))
      throw new BadInput(
        'bad_input',
        part === undefined ? `has the style ${style}, and no styles` : `has the style ${style}, which ${part} does not have`,
      );
    const id = ids[style] ?? 0;
    // Without its format a date would be read as a number.
    if (id >= firstOwn && !codes.has(id)) throw new BadInput('bad_input', `has the format ${id}, which ${part} does not have`);
    const kind = kinds[style];
    if (kind === 'unclear')
      throw new BadInput('bad_input', `has the format ${codes.get(id)}, which is neither one of numbers nor one of dates`);
    return kind;
  };
}
