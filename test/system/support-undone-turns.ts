/** The parameter that names the server of `usePosts`. */
export const url = '"${{ params.url }}"';

/** A step that posts a name there. */
export const post = (name: string, use = 'acme.once', needs = ''): string =>
  `{ use: ${use}, ${needs}with: { url: ${url}, name: ${name} } }`;

/** A pipeline whose loop posts for each of its turns what may be done once, and what may be repeated, and takes the first back row by row. */
export const turns = (over: string, name: string): string => `name: turns
params: { url: { type: string } }
steps:
  each:
    forEach: { ${over}, as: n, parallel: 1 }
    tolerate: { failed: 50% }
    steps: { one: ${post(`"\${{ ${name} }}"`)}, two: ${post(`"\${{ ${name} + '2' }}"`, 'acme.posts', 'needs: [one], ')} }
    outputs: { n: "\${{ ${name} }}" }
    undo:
      forEach: { rows: "\${{ steps.each.results }}", key: n, as: row, parallel: 1 }
      steps: { back: ${post('"${{ \'not-\' + row.n }}"')} }
`;
