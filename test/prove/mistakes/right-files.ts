/** Right pipelines of every kind, as users write them: into each a mistake is put. */
export const rightFiles: Readonly<Record<string, string>> = {
  ingest: `name: ingest
description: Put words on a map.

params:
  source: { type: path, default: ../data/words.json, description: Any table }
  dataset: { type: slug, default: words }

steps:
  dataset:
    use: dataset.ensure
    with:
      slug: \${{ params.dataset }}
      description: Words and what they mean

  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: \${{ params.source }}
      id: { column: id }
      onChange: report
      columns:
        word: word
        kind: kind
        uses: uses
        text: |
          concat_ws('. ', word, gloss)
    tolerate: { rejected: 1% }

  map:
    use: index.build
    with:
      dataset: \${{ steps.dataset.id }}
      embed: text

  familiar:
    use: points.select
    with:
      map: \${{ steps.map.id }}
      where:
        all:
          - { range: uses, from: 10, to: 500 }
          - { not: { category: kind, in: [person] } }

  tag:
    use: points.tag
    with:
      map: \${{ steps.map.id }}
      points: \${{ steps.familiar.points }}
      add: familiar

outputs:
  map: \${{ steps.map.url }}
  tagged: \${{ steps.tag.count }}
`,
  films: `name: films
params:
  slug:
    type: slug
    default: films
steps:
  films:
    use: dataset.ensure
    with:
      slug: \${{ params.slug }}
      public: false
      idField: film
  load:
    use: dataset.load
    timeout: 2h
    with:
      dataset: \${{ steps.films.id }}
      source: ../data/films.csv
      id: { row: true }
      columns:
        title: Title
        gross: '"US Gross"'
        genre: Genre
        released: Released
  map:
    use: index.build
    with:
      dataset: \${{ steps.load.dataset }}
      embed: title
      name: films
  rich:
    use: points.select
    with:
      map: \${{ steps.map.id }}
      where:
        any:
          - range: gross
            from: 100000000
          - range: released
            from: 2009-01-01
            to: 2021-12-31
  heist:
    use: points.search
    with:
      map: \${{ steps.map.id }}
      query: a heist that goes wrong
      k: 5
      fields: [title, genre]
outputs:
  rich: \${{ steps.rich.count }}
  heist: \${{ steps.heist.results.map(r, r.title).join(", ") }}
`,
  months: `name: months
connection: prod
steps:
  year:
    use: dataset.ensure
    with: { slug: year-2024 }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.year.id }}
      source: ../data/2024/*.csv
      id: { column: key }
      columns:
        amount: amount
        city: upper(city)
    tolerate:
      rejected: 10
    window: 2
  map:
    use: index.build
    needs: [rows]
    with:
      dataset: \${{ steps.year.id }}
outputs:
  rows: \${{ steps.rows.rows }}
  added: \${{ steps.rows.added }}
`,
  prices: `name: prices
steps:
  prices:
    use: dataset.ensure
    with:
      slug: prices
  rows:
    use: dataset.upload
    with:
      dataset: \${{ steps.prices.id }}
      source:
        path: ../data/prices.csv
        csv: { delimiter: ';', dateFormat: '%d/%m/%Y', header: true }
      id:
        column: sku
      columns:
        price: price
        day: day
  map:
    use: index.build
    with:
      dataset: \${{ steps.rows.dataset }}
      onChange: rebuild
outputs:
  bytes: \${{ steps.rows.bytes }}
`,
  query: `name: query
params:
  least: { type: integer, default: 3 }
steps:
  joined:
    use: dataset.ensure
    with: { slug: joined }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.joined.id }}
      source:
        sql: |
          select w.id, w.word, w.uses
          from words w
          where w.uses > 3
        tables:
          words: ../data/words.json
      id: { column: id }
      onChange: replace
  map:
    use: index.build
    with:
      dataset: \${{ steps.joined.id }}
      embed: word
  often:
    use: points.select
    with:
      map: \${{ steps.map.id }}
      where: { range: uses, from: "\${{ params.least }}" }
outputs:
  often: \${{ steps.often.count }}
`,
  hello: `name: hello
description: Greet a few people.
params:
  first: { type: string, default: Ada, description: Who is greeted first }
  times: { type: integer, default: 2 }
steps:
  hello:
    use: own.greet
    with:
      names:
        - \${{ params.first }}
        - Grace
        - Katherine
      loud: true
      times: \${{ params.times }}
outputs:
  greeted: \${{ steps.hello.count }}
  first: \${{ steps.hello.first }}
`,
  score: `name: score
params:
  threshold: { type: number, default: 0.5 }
  careful: { type: boolean, default: true }
steps:
  score:
    use: own.score
    with:
      mode: \${{ params.careful ? "careful" : "fast" }}
      threshold: \${{ params.threshold }}
      weights: { text: 0.8, date: 0.2 }
      since: 2024-05-01
      tags:
        team: blue
        owner: ada
  again:
    use: own.score
    needs: [score]
    timeout: 30m
    with:
      mode: fast
      threshold: 0.9
      weights:
        text: 1
outputs:
  best: \${{ steps.score.detail.best }}
  passed: \${{ steps.score.passed && steps.again.passed }}
`.replace('mode: ${{ params.careful ? "careful" : "fast" }}', 'mode: \'${{ params.careful ? "careful" : "fast" }}\''),
  mail: `name: mail
steps:
  people:
    use: own.greet
    with:
      names: [ada@example.com, grace@example.com]
  mail:
    use: own.mail
    with:
      to: \${{ steps.people.greetings }}
      subject: Hello to \${{ steps.people.first }}
      perDay: 100
    tolerate: { failed: 5%, skipped: 3 }
    window: 2
  kept:
    use: dataset.ensure
    with:
      slug: mails
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.kept.id }}
      source: \${{ steps.mail.results }}
      id: { column: item }
outputs:
  failed: \${{ steps.mail.failed }}
  all: \${{ steps.mail.items }}
`,
  purge: `name: purge
connection: staging
params:
  map: { type: string, default: 6f9619ff-8b86-d011-b42d-00c04fc964ff }
steps:
  dataset:
    use: dataset.ensure
    with:
      slug: old-words
  old:
    use: points.select
    with:
      map: \${{ params.map }}
      where:
        all:
          - { category: kind, in: [person, place] }
          - { range: uses, to: 2 }
  ok:
    use: gate.approve
    with:
      who: the owner
      expires: 24h
      show: \${{ steps.old.count }}
      approves: [delete]
  delete:
    use: data.delete
    with:
      dataset: \${{ steps.dataset.id }}
      points: \${{ steps.old.points }}
  update:
    use: index.update
    with:
      dataset: \${{ steps.delete.dataset }}
outputs:
  deleted: \${{ steps.delete.count }}
  by: \${{ steps.ok.who }}
`,
  neighbours: `name: neighbours
params:
  map: { type: string, default: 6f9619ff-8b86-d011-b42d-00c04fc964ff }
  k: { type: integer, default: 5 }
steps:
  near:
    use: points.select
    with:
      map: \${{ params.map }}
      where: { search: gloss, for: animal }
  around:
    use: points.neighbors
    with:
      map: \${{ params.map }}
      points: \${{ steps.near.points }}
      k: \${{ params.k }}
  tag:
    use: points.tag
    with:
      map: \${{ steps.around.map }}
      points: \${{ steps.around.points }}
      add: near animals
  untag:
    use: points.tag
    needs: [tag]
    with:
      map: \${{ params.map }}
      points: \${{ steps.near.points }}
      remove: old
outputs:
  pairs: \${{ steps.around.pairs }}
  tagged: \${{ steps.tag.count + steps.untag.count }}
`,
  api: `name: api
steps:
  me:
    use: api.call
    with:
      operation: maps.user.get
  projects:
    use: api.call
    with:
      operation: maps.projects.list
      input: {}
  one:
    use: api.call
    needs: [projects]
    with:
      operation: maps.projects.get
      input:
        project_id: 6f9619ff-8b86-d011-b42d-00c04fc964ff
outputs:
  me: \${{ steps.me.result }}
  one: \${{ steps.one.result.id }}
`,
  remove: `name: remove
steps:
  approval:
    use: gate.approve
    with:
      who: security
      expires: 7d
      approves: [gone, wiped]
  gone:
    use: api.call
    with:
      operation: maps.projects.remove
      input: { project_id: 6f9619ff-8b86-d011-b42d-00c04fc964ff }
  wiped:
    use: own.wipe
    with:
      folder: ../data/2024
      reason: Quarterly tidying
outputs:
  removed: \${{ steps.wiped.removed }}
`,
  vectors: `name: vectors
steps:
  dataset:
    use: dataset.ensure
    with: { slug: vectors, public: true }
  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: ../data/vectors.json
      id: { column: id }
      columns:
        word: word
        _embeddings: _embeddings
  map:
    use: index.build
    with:
      dataset: \${{ steps.dataset.id }}
      embed: _embeddings
      model: svc-embed-text-v1
      onChange: update
  found:
    use: points.search
    with:
      map: \${{ steps.map.id }}
      query: [1, 2, 3, 4]
      k: 3
      fields:
        - word
      where:
        category: word
        in: ["word 1", "word 2"]
outputs:
  found: \${{ steps.found.results }}
  points: \${{ steps.map.points }}
`,
  two: `name: two-datasets
concurrency: two-datasets
params:
  limit: { type: integer, default: 100 }
  city: { type: string, default: Oslo }
steps:
  words:
    use: dataset.ensure
    with: { slug: words-two }
  months:
    use: dataset.ensure
    with: { slug: months-two }
  wordRows:
    use: dataset.append
    with:
      dataset: \${{ steps.words.id }}
      source: ../data/words.json
      id: { column: id }
      columns: { word: word, uses: uses, kind: kind }
  monthRows:
    use: dataset.append
    with:
      dataset: \${{ steps.months.id }}
      source: ../data/2024/jan.csv
      id: { column: key }
      columns: { amount: amount, city: city }
  wordMap:
    use: index.build
    with:
      dataset: \${{ steps.wordRows.dataset }}
      embed: word
  monthMap:
    use: index.build
    with:
      dataset: \${{ steps.monthRows.dataset }}
      embed: city
  few:
    use: points.select
    with:
      map: \${{ steps.wordMap.id }}
      where: { range: uses, from: 1, to: "\${{ params.limit }}" }
  here:
    use: points.select
    with:
      map: \${{ steps.monthMap.id }}
      where: { category: city, in: ["\${{ params.city }}"] }
outputs:
  few: \${{ steps.few.count }}
  here: \${{ steps.here.count }}
`,
  comments: `# A file with comments and blank lines
name: comments   # runs are named after it

params:
  # Where rows come from
  source: { type: path, default: ../data/films.csv }

steps:
  # First the dataset
  dataset:
    use: dataset.ensure   # find or create
    with:
      slug: commented

  rows:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: \${{ params.source }}   # a CSV file
      id: { row: true }
      columns:
        title: Title
        millions: '"US Gross" / 1000000'

    tolerate: { rejected: 0.5% }

# What the run gives back
outputs:
  added: \${{ steps.rows.added }}
`,
  text: `name: text
params:
  who: { type: string, default: Grace }
  much: { type: number, default: 1.5 }
steps:
  a:
    use: own.greet
    with:
      names: ["Dear \${{ params.who }}", '\${{ params.much > 1.0 ? "loud" : "quiet" }}']
  b:
    use: own.greet
    with:
      names: \${{ steps.a.greetings.filter(g, g.size() > 3) }}
      times: \${{ steps.a.count + 1 }}
outputs:
  line: "\${{ steps.b.first.upperAscii() }}: \${{ steps.b.count }} of \${{ steps.a.count }}"
  long: \${{ steps.b.greetings.exists(g, g.startsWith("Dear")) }}
`,
  json: `{
  "name": "json-style",
  "params": { "slug": { "type": "slug", "default": "json" } },
  "steps": {
    "dataset": {
      "use": "dataset.ensure",
      "with": { "slug": "\${{ params.slug }}" }
    },
    "rows": {
      "use": "dataset.append",
      "with": {
        "dataset": "\${{ steps.dataset.id }}",
        "source": "../data/words.json",
        "id": { "column": "id" },
        "columns": { "word": "word", "uses": "uses" }
      }
    }
  },
  "outputs": { "rows": "\${{ steps.rows.rows }}" }
}
`,
  chain: `name: chain
params:
  name: { type: string, default: Ada }
steps:
  one:
    use: own.greet
    with: { names: ["\${{ params.name }}"] }
  two:
    use: own.greet
    with: { names: ["\${{ steps.one.first }}"], times: 2 }
  three:
    use: own.score
    needs: [one]
    with:
      mode: careful
      threshold: 0.25
      weights: { text: "\${{ steps.two.count }}" }
  approve:
    use: gate.approve
    needs: [three]
    with:
      show: \${{ steps.three.score }}
      approves: [wipe]
      expires: 2d
  wipe:
    use: own.wipe
    with: { folder: ../data, reason: "asked by \${{ params.name }}" }
outputs:
  removed: \${{ steps.wipe.removed }}
  worst: \${{ steps.three.detail.worst }}
`,
  search: `name: search
params:
  map: { type: string }
  question: { type: string, default: small animals }
  results: { type: integer, default: 10 }
steps:
  found:
    use: points.search
    with:
      map: \${{ params.map }}
      query: \${{ params.question }}
      k: \${{ params.results }}
      fields: [word, gloss]
      where:
        all:
          - { category: kind, in: [animal, plant] }
          - not:
              range: day
              from: 2024-01-01
              to: 2024-06-30
          - { search: gloss, for: small }
outputs:
  count: \${{ steps.found.count }}
  best: \${{ steps.found.results[0].word }}
`,
  anchors: `name: anchors
steps:
  dataset:
    use: dataset.ensure
    with: { slug: anchored }
  jan:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: ../data/2024/jan.csv
      id: &id { column: key }
      columns: &columns
        amount: amount
        city: city
    tolerate: &some { rejected: 2% }
  feb:
    use: dataset.append
    with:
      dataset: \${{ steps.dataset.id }}
      source: ../data/2024/feb.csv
      id: *id
      columns: *columns
    tolerate: *some
outputs:
  jan: \${{ steps.jan.added }}
  feb: \${{ steps.feb.added }}
`,
  wide: `name: wide
steps:
  dataset:
    use: dataset.ensure
    with:
      slug: wide
  rows:
    use: dataset.load
    with:
      dataset: \${{ steps.dataset.id }}
      source:
        sql: >
          select key, amount * 2 as twice, lower(city) as city
          from jan
          union all
          select key, amount, city from feb
        tables: { jan: ../data/2024/jan.csv, feb: ../data/2024/feb.csv }
      id: { column: key }
      columns:
        twice: twice
        town: city
        size: case when twice > 30 then 'large' else 'small' end
  map:
    use: index.build
    with:
      dataset: \${{ steps.rows.dataset }}
      embed: town
  large:
    use: points.select
    with:
      map: \${{ steps.map.id }}
      where:
        all:
          - category: size
            in: [large]
          - range: twice
            from: 10.5
  tag:
    use: points.tag
    with: { map: "\${{ steps.large.map }}", points: "\${{ steps.large.points }}", add: large, again: true }
outputs:
  way: \${{ steps.rows.way }}
  large: \${{ steps.tag.count }}
`,
};
