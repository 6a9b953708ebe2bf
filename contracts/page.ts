/** How a list goes on: by the cursor that the page before gave, or by the number of items to leave out. */
export type Page =
  | {
      readonly by: 'cursor';
      /** Input field of the cursor, and the output field that gives the next one: null or absent at the end. */
      readonly cursor: string;
      readonly next: string;
      /** Output field of the items. */
      readonly items: string;
      /** Output field of the number of all items. */
      readonly total?: string;
    }
  | {
      readonly by: 'offset';
      /** Input field of the number of items to leave out; an empty page is behind the last one. */
      readonly offset: string;
      /** Input field of the page's size, which must be asked for, and the size where the caller asks for none. */
      readonly limit: string;
      readonly size: number;
      readonly items: string;
    };
