/** The beginning of a pipeline that adds the rows of `rows.json`, up to its columns. */
export const rowsHead = (name: string): string => `name: ${name}
steps:
  dataset:
    use: dataset.ensure
    with: { slug: a }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: rows.json
      id: { row: true }
      columns:
`;
