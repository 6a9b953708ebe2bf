/** What a reviewer marks in the text of a drawing, and what is to be done about it. */
const marks: readonly { form: RegExp; says: string }[] = [
  { form: /\b(?:tbd|tbc|to be (?:determined|confirmed|defined))\b/i, says: 'is left open' },
  { form: /\b(?:todo|fixme|hold)\b/i, says: 'is not finished' },
  { form: /\b(?:verify|check|confirm|coordinate)\b[^.\n]*/i, says: 'is to be verified' },
  { form: /\b(?:missing|not shown|omitted)\b/i, says: 'says that something is missing' },
  { form: /\b(?:not to scale|n\.?t\.?s\.?)(?![\p{L}])/iu, says: 'is not to scale: no length may be taken from it' },
  { form: /\bsuperseded\b|\bnot for construction\b/i, says: 'is no valid issue' },
];

/** Longest part of a line that a remark quotes. */
const mostQuoted = 160;

/** Remarks on a text of drawings, each with its page, from 1: pages end with a form feed. */
export const reviewText = (text: string): { page: number; text: string }[] =>
  text.split('\f').flatMap((page, at) =>
    page.split('\n').flatMap((line) => {
      const mark = marks.find(({ form }) => form.test(line));
      return mark ? [{ page: at + 1, text: `“${line.trim().slice(0, mostQuoted)}” ${mark.says}.` }] : [];
    }),
  );
