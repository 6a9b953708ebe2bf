import type { IndexRow } from '../engine/datasets/schema.ts';
import { blobColumn } from './images.ts';

/** What a map is called on a page: by the column that it was made of. A name of its own need not say anything to a reader. */
export const mapTitle = ({ indexed_field, index_name }: IndexRow): string =>
  indexed_field === null ? (index_name ?? 'map') : indexed_field === blobColumn ? 'map of images' : `map by ${indexed_field}`;
