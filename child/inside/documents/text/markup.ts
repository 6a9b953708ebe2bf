import { defaultTreeAdapter, Parser, type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes } from 'parse5';
import { isHidden } from './hidden.ts';

type Element = DefaultTreeAdapterTypes.Element;

/** HTML between texts of Markdown, piece by piece: an element may begin in one and end in a later one. */
export type Markup = {
  /** Follows the tags of a piece, and returns what of it stands behind an element that was hidden before: all of it where none was. */
  see(html: string): string;
  /** A block of Markdown begins: it ends a paragraph of HTML that has no end of its own. */
  beginBlock(): void;
  /** Whether what comes now stands in an element that is hidden. */
  readonly isHidden: boolean;
};

/** Follows HTML by its parser, which alone knows where an element ends that has no end tag, or that holds no tags, as a script. */
function createStream(): { hidden: readonly Element[]; write(piece: string): number } {
  const hidden: Element[] = [];
  let [piece, from] = ['', 0];
  /** An element that is closed in its own tag, as in XML: whoever writes so means nothing behind it. */
  const isClosed = ({ sourceCodeLocation: place }: Element): boolean => place != null && piece[place.endOffset - from - 2] === '/';
  const parser = new Parser<DefaultTreeAdapterMap>({
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush(element) {
        if (isHidden(element) && !isClosed(element)) hidden.push(element);
      },
      onItemPop(element) {
        const at = hidden.lastIndexOf(element);
        if (at >= 0) hidden.splice(at, 1);
      },
    },
  });
  /** Returns where in all that was written the piece begins. */
  const write = (html: string): number => {
    from += piece.length;
    piece = html;
    parser.tokenizer.write(html, false);
    return from;
  };
  write('<body>');
  return { hidden, write };
}

export function createMarkup(): Markup {
  let stream: ReturnType<typeof createStream> | undefined;
  return {
    see(html) {
      stream ??= createStream();
      const [before] = stream.hidden;
      const from = stream.write(html);
      if (!before) return html;
      return stream.hidden.includes(before) ? '' : html.slice(before.sourceCodeLocation!.endOffset - from);
    },
    beginBlock() {
      if (stream && stream.hidden.length > 0) stream.write('<p></p>');
    },
    get isHidden() {
      return stream !== undefined && stream.hidden.length > 0;
    },
  };
}
