import { namespaces } from '../../formats/office/namespaces.ts';
import type { XmlTag } from '../../formats/office/xml.ts';

/** The value of an attribute by its name, whatever its prefix: parts of a document write `w:val`, strict ones too. */
export const valueOf = ({ attributes }: XmlTag, name: string): string | undefined =>
  Object.values(attributes).find(({ local }) => local === name)?.value;

/** A property that is on unless it says otherwise: `<w:vanish/>`, `<w:vanish w:val="0"/>`. */
export const isOn = (tag: XmlTag): boolean => !/^(0|false|off|none)$/.test(valueOf(tag, 'val') ?? '1');

/** The number of an attribute; undefined where it is none. */
export const numberOf = (tag: XmlTag, name: string): number | undefined => {
  const value = Number(valueOf(tag, name) ?? NaN);
  return Number.isInteger(value) ? value : undefined;
};

/** The relationship that a picture names: `r:embed`, `r:id`. */
export const relationOf = ({ attributes }: XmlTag): string | undefined =>
  Object.values(attributes).find(({ local, uri }) => (local === 'embed' || local === 'id') && namespaces.reference.test(uri))?.value;
