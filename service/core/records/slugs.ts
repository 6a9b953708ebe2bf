/** Slug normalisation of public clients: NFD, lower case, space and `_` to `-`, only `a-z0-9-`. */
export const slugOf = (name: string): string => {
  const slug = name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[\s_]/g, '-')
    .replaceAll(/[^a-z0-9-]/g, '')
    .replaceAll(/-+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return slug === '' ? 'untitled' : slug;
};

/** First words of addresses with two segments, `search/id` and `sidebar/list`: datasets of such an organization would not be found by their slugs. */
const words = new Set(['search', 'sidebar']);

/** Why an organization cannot have a slug; undefined where it can. What reads as an id names what has that id. */
export const organizationSlugProblem = (slug: string): string | undefined =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(slug)
    ? 'reads as an id'
    : words.has(slug)
      ? 'is a word of the addresses of the API'
      : undefined;

/** The slug itself where it is free, else with `-2`, `-3` … */
export const freeSlug = (wanted: string, isTaken: (slug: string) => boolean): string => {
  for (let n = 1; ; n += 1) {
    const slug = n === 1 ? wanted : `${wanted}-${n}`;
    if (!isTaken(slug)) return slug;
  }
};
