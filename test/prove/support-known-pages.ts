import { pdfOf, type PdfText } from '../service/pdf-writer.ts';

/** A page whose words are known, as a PDF. */
export type KnownPage = { name: string; language: string; words: string; pdf: Buffer };

/** Prose of our own, some sixty words in each language. */
export const prose: Readonly<Record<string, string>> = {
  English:
    'The harbour was closed when the storm came in from the north. Twelve ships lay at anchor behind the long wall and waited for the wind to turn. Nobody went ashore that night. In the morning the pilots counted the lamps along the quay, found three of them broken, and wrote a report to the council, which paid for new glass before the winter.',
  German:
    'Der Hafen wurde geschlossen, als der Sturm aus dem Norden kam. Zwölf Schiffe lagen hinter der langen Mauer vor Anker und warteten, bis sich der Wind drehte. Niemand ging in jener Nacht an Land. Am Morgen zählten die Lotsen die Lampen am Kai, fanden drei davon zerbrochen und schrieben einen Bericht für den Rat, der das neue Glas noch vor dem Winter bezahlte.',
  French:
    'Le port fut fermé quand la tempête arriva du nord. Douze navires étaient à l’ancre derrière le long mur et attendaient que le vent tourne. Personne ne descendit à terre cette nuit. Le matin, les pilotes comptèrent les lampes du quai, en trouvèrent trois cassées et écrivirent un rapport au conseil, qui paya le verre neuf avant la fin de la saison.',
  Spanish:
    'El puerto se cerró cuando la tormenta llegó del norte. Doce barcos estaban anclados detrás del largo muro y esperaban un cambio de viento. Nadie bajó a tierra aquella noche. Por la mañana los pilotos contaron las lámparas del muelle, encontraron tres rotas y escribieron un informe para el consejo, que pagó el vidrio nuevo antes del invierno.',
  Italian:
    'Il porto fu chiuso quando la tempesta arrivò dal nord. Dodici navi erano ancorate dietro il lungo muro e aspettavano che il vento girasse. Nessuno scese a terra quella notte. Al mattino i piloti contarono le lampade del molo, ne trovarono tre rotte e scrissero una relazione al consiglio, che pagò il vetro nuovo prima della fine della stagione.',
  Dutch:
    'De haven werd gesloten toen de storm uit het noorden kwam. Twaalf schepen lagen voor anker achter de lange muur en wachtten tot de wind zou draaien. Niemand ging die nacht aan land. In de ochtend telden de loodsen de lampen langs de kade, vonden er drie gebroken en schreven een verslag aan de raad, die het nieuwe glas nog voor de winter betaalde.',
};

const fonts = ['Helvetica', 'Times-Roman', 'Courier', 'Helvetica-Bold', 'Times-Italic'] as const;
const sizes = [9, 10, 11, 12, 14, 18] as const;

/** Lines no wider than a page, of letters that are at most so wide. */
function linesOf(text: string, size: number, font: string): string[] {
  const letters = Math.floor(468 / (size * (font === 'Courier' ? 0.6 : 0.56)));
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > letters) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

const written = (text: string, size: number, font: string): PdfText[] =>
  linesOf(text, size, font).map((line, at) => ({ x: 72, y: 720 - at * size * 1.4, size, font, text: line }));

const items = ['Rope', 'Lamp oil', 'Canvas', 'Oak planks', 'Iron nails', 'Tar', 'Glass', 'Copper wire', 'Flour', 'Candles'];

/** A price list of four columns: each cell stands by itself. */
function tableOf(seed: number, size: number, font: string): { cells: string[][]; texts: PdfText[] } {
  const rows = items.map((item, at) => [
    item,
    String((at + 2) * (seed + 3)),
    `${(at * 7 + seed) % 90}.${String(10 + ((at * 13 + seed) % 90))}`,
    ['north', 'south', 'east', 'west'][(at + seed) % 4]!,
  ]);
  const cells = [['Item', 'Count', 'Price', 'Store'], ...rows];
  const texts = cells.flatMap((row, line) =>
    row.map((text, column) => ({ x: 72 + column * 110, y: 700 - line * size * 1.8, size, font, text })),
  );
  return { cells, texts };
}

/** Windows-1252 as PDF writes it here: its quotation mark is no character of Latin-1. */
const encoded = (texts: readonly PdfText[]): PdfText[] => texts.map((each) => ({ ...each, text: each.text.replaceAll('’', '\u0092') }));

/** Pages of text in every language and tables, each in another font and size. */
export function knownPages(): KnownPage[] {
  const texts = Object.entries(prose).flatMap(([language, words], at) =>
    [0, 1, 2].map((turn): KnownPage => {
      const font = fonts[(at + turn * 2) % fonts.length]!;
      const size = sizes[(at * 2 + turn * 3) % sizes.length]!;
      return { name: `${language}, ${font} ${size}`, language, words, pdf: pdfOf([encoded(written(words, size, font))]) };
    }),
  );
  const tables = [0, 1, 2, 3, 4].map((seed): KnownPage => {
    const [font, size] = [fonts[seed]!, sizes[seed + 1]!];
    const { cells, texts: placed } = tableOf(seed, size, font);
    return { name: `table, ${font} ${size}`, language: 'tables', words: cells.flat().join(' '), pdf: pdfOf([placed]) };
  });
  return [...texts, ...tables];
}
