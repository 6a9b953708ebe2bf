import { parse } from 'yaml';

/** Longer ones are none: what is read as YAML takes memory and time. */
const longest = 64 * 1024;

const fences = /^---[ \t]*\n(?:(.*?)\n)?(?:---|\.\.\.)[ \t]*(?:\n|$)/s;

/** What stands before the text of a Markdown file about it, between lines of `---`: how many lines that takes, and the title it names. */
export function frontMatter(text: string): { lines: number; length: number; title?: string } | undefined {
  const [found, yaml = ''] = fences.exec(text) ?? [];
  if (found === undefined || found.length > longest) return undefined;
  const fields = fieldsOf(yaml);
  if (!fields) return undefined;
  const { title } = fields;
  const named = typeof title === 'string' || typeof title === 'number' ? String(title).trim() : '';
  return { lines: found.split('\n').length - 1, length: found.length, ...(named === '' ? {} : { title: named }) };
}

/** Undefined where it is no list of fields: then the lines are rules, and a text stands between them, such as `# Heading`. */
function fieldsOf(yaml: string): Record<string, unknown> | undefined {
  if (yaml.trim() === '') return {};
  try {
    const fields: unknown = parse(yaml, { maxAliasCount: 100, logLevel: 'silent' });
    return fields !== null && typeof fields === 'object' && !Array.isArray(fields) ? (fields as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
