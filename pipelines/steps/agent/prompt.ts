/** Where the value of a column stands in a prompt: `{{text}}`. */
export const placeholder = /\{\{ *([^{}]+?) *\}\}/g;

/** How a mark stands in a prompt, as its last line. */
export const withMark = (text: string, mark: string): string => `${text}\n\n[ref ${mark}]`;

/** The mark of a prompt, and the prompt without it. */
const marked = /\s*\[ref ([0-9a-f]{16})\]\s*$/;

export const markIn = (text: string): string | null => marked.exec(text)?.[1] ?? null;

/** True of a prompt that was made of this template, with whatever values. */
export function isLaunchedBy(template: string, text: string): boolean {
  if (markIn(text) === null) return false;
  const fixed = template.trim().split(new RegExp(placeholder.source));
  // Every second part is the name of a column.
  const parts = fixed.filter((_, at) => at % 2 === 0).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}$`, 'u').test(text.replace(marked, '').trim());
}
