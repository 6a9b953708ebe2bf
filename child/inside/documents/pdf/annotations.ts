import type { Piece } from '../layout/piece.ts';
import type { PdfPage } from './open.ts';
import { placed, times } from './page-text.ts';

type Choice = { exportValue: string; displayValue: string };

/** What the library says of a field or note; what a kind does not have is absent. */
type Annotation = {
  subtype: string;
  rect: number[];
  annotationFlags?: number;
  textContent?: string[];
  contentsObj?: { str: string };
  fieldType?: string | null;
  fieldValue?: unknown;
  options?: Choice[];
  combo?: boolean;
  checkBox?: boolean;
  radioButton?: boolean;
  exportValue?: string;
  buttonValue?: string | null;
  password?: boolean;
};

/** Flags of what nobody sees on the page: hidden, or not shown. */
const unseen = 0x02 | 0x20;

/** Letters of a field that says nothing of their size, in points. */
const letters = 10;

const valuesOf = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');

/** What stands in a field: its text, the options that a list shows or the one that is chosen, a mark where it is ticked. */
function linesOf({ fieldType, fieldValue, options = [], textContent, contentsObj, ...field }: Annotation): string[] {
  if (field.subtype === 'FreeText') return textContent ?? (contentsObj?.str ?? '').split(/\r\n?|\n/);
  if (field.subtype !== 'Widget' || field.password) return [];
  if (fieldType === 'Tx') return valuesOf(fieldValue).flatMap((value) => value.split(/\r\n?|\n/));
  if (fieldType === 'Ch') {
    const chosen = valuesOf(fieldValue);
    const shown = field.combo ? options.filter(({ exportValue }) => chosen.includes(exportValue)) : options;
    return shown.length > 0 ? shown.map(({ displayValue }) => displayValue) : chosen;
  }
  const on = field.checkBox ? field.exportValue : field.radioButton ? field.buttonValue : undefined;
  return on !== undefined && on !== null && fieldValue === on ? ['☑'] : [];
}

/** What the fields of a form and the notes that are written on a page say, placed as it is shown. Their text is not that of the page. */
export async function annotationText(page: PdfPage): Promise<Piece[]> {
  const { transform } = page.getViewport({ scale: 1 });
  const annotations = (await page.getAnnotations({ intent: 'display' })) as Annotation[];
  return annotations.flatMap((annotation) => {
    if (((annotation.annotationFlags ?? 0) & unseen) !== 0) return [];
    const lines = linesOf(annotation).filter((line) => line.trim() !== '');
    const [x = 0, y = 0, toX = 0, toY = 0] = annotation.rect;
    const { left, top, right, bottom } = placed(times(transform, [1, 0, 0, 1, x, y]), toX - x, toY - y);
    const high = Math.min((bottom - top) / Math.max(1, lines.length), 1.4 * letters);
    const size = Math.max(1, high / 1.4);
    return lines.map((text, at) => ({ text, left, right, top: top + at * high, bottom: top + (at + 1) * high, size }));
  });
}
