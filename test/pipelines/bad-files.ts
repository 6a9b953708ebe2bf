/** Files with one mistake or a few: what `validate` must find and where (`code line:column`), and words that
 * a message, a remedy or a corrected line must hold. `only`: the one code that it finds once, wherever in the line. */
export type BadFile = { name: string; text: string; finds: string[]; says?: string[]; only?: string };

const file = (steps: string, rest = ''): string => `name: bad\n${rest}steps:\n${steps.replace(/^/gm, '  ')}`;
const sample = (fields: string): string => file(`one:\n  use: acme.sample\n  with:\n${fields.replace(/^/gm, '    ')}`);

export const badFiles: BadFile[] = [
  { name: 'empty file', text: '', finds: ['empty-file 1:1'] },
  { name: 'only a comment', text: '# nothing\n', finds: ['wrong-type 1:1'], says: ['a pipeline is empty'] },
  { name: 'a list', text: '- a\n- b\n', finds: ['wrong-type 1:1'], says: ['a pipeline is a list, expected fields'] },
  {
    name: 'a table',
    text: 'film,year\nAlien,1979\n',
    finds: ['wrong-type 1:1'],
    says: ['a pipeline is the text', 'portolan init --from TABLE'],
  },
  {
    name: 'columns that a dataset cannot take',
    text: file(
      'one:\n  use: dataset.append\n  with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: data/rows.csv, id: { column: a }, drift: add }',
    ),
    finds: ['invalid-value 5:109'],
    says: ['a dataset takes no further columns: its schema is fixed by the first upload', 'write drift: fail or ignore'],
  },
  { name: 'no steps', text: 'name: bad\n', finds: ['missing-field 1:1'], says: ["needs the field 'steps'"] },
  { name: 'steps empty', text: 'name: bad\nsteps: {}\n', finds: ['invalid-value 2:8'], says: ['at least one step'] },
  { name: 'no name', text: 'steps:\n  one: { use: acme.sample }\n', finds: ['missing-field 1:1'], says: ["'name'"] },
  {
    name: 'name with capitals',
    text: 'name: Bad Name\nsteps:\n  one: { use: acme.sample }\n',
    finds: ['invalid-value 1:7'],
    says: ['lower-case'],
  },
  {
    name: 'misspelt field of the file',
    text: file('one: { use: acme.sample }', 'descripton: x\n'),
    finds: ['unknown-field 2:1'],
    says: ["did you mean 'description'?"],
  },
  {
    name: 'misspelt field of a step',
    text: file('one:\n  use: acme.sample\n  wiht: {}'),
    finds: ['unknown-field 5:5'],
    says: ["did you mean 'with'?"],
  },
  {
    name: 'step without use',
    text: file('one:\n  with: {}'),
    finds: ['missing-field 3:3'],
    says: ["'steps.one' of a pipeline needs the field 'use'"],
  },
  {
    name: 'step that is a text',
    text: file('one: acme.sample'),
    finds: ['wrong-type 3:8'],
    says: ['expected fields', 'one: { use: acme.sample }'],
  },
  {
    name: 'unknown step',
    text: file('one: { use: dataset.apend }'),
    finds: ['unknown-step 3:15'],
    says: ["did you mean 'dataset.append'?"],
  },
  {
    name: 'step id with a hyphen',
    text: file('my-step: { use: acme.sample }'),
    finds: ['invalid-name 3:3'],
    says: ['letters, digits and underscores'],
  },
  {
    name: 'misspelt input field',
    text: sample('cuont: 1'),
    finds: ['unknown-field 6:7'],
    says: ["'cuont' is not a field of acme.sample; did you mean 'count'?"],
  },
  {
    name: 'misspelt nested field',
    text: sample('nested:\n  deep: 1\n  othr: x'),
    finds: ['unknown-field 8:9'],
    says: ["'othr' is not a field of 'nested' of acme.sample; did you mean 'other'?"],
  },
  { name: 'missing nested field', text: sample('nested: {}'), finds: ['missing-field 6:7'], says: ["needs the field 'deep'"] },
  {
    name: 'missing input field',
    text: file('one: { use: dataset.ensure }'),
    finds: ['missing-field 3:3'],
    says: ["dataset.ensure needs the field 'slug'"],
  },
  {
    name: 'text for a number',
    text: sample('count: three'),
    finds: ['wrong-type 6:14'],
    says: ['\'count\' is the text "three", expected a whole number'],
  },
  { name: 'fraction for a whole number', text: sample('count: 1.5'), finds: ['wrong-type 6:14'], says: ['whole number'] },
  {
    name: 'a name where an id is due, of a step that has one itself',
    text: file(
      'one: { use: dataset.mirror, with: { dataset: films, source: a.csv, id: { row: true } } }\nset: { use: dataset.ensure, with: { slug: a } }',
    ),
    finds: ['invalid-value 3:48'],
    says: ['dataset: "${{ steps.set.id }}"'],
  },
  { name: 'number out of range', text: sample('count: 0'), finds: ['invalid-value 6:14'] },
  { name: 'yes is a text', text: sample('flag: yes'), finds: ['wrong-type 6:13'], says: ['true or false'] },
  { name: 'one value for a list', text: sample('list: a'), finds: ['wrong-type 6:13'], says: ['expected a list'] },
  {
    name: 'wrong item of a list',
    text: sample('list:\n  - a\n  - 7'),
    finds: ['wrong-type 8:11'],
    says: ["'list[1]' is 7, expected text"],
  },
  {
    name: 'text around an expression where a number is due',
    text: sample('count: about ${{ params.n }}').replace('steps:', 'params:\n  n: { type: integer, default: 1 }\nsteps:'),
    finds: ['wrong-type 8:14'],
    says: ['the text "about 1"'],
  },
  {
    name: 'neither form of a union',
    text: file(
      'one:\n  use: dataset.append\n  with:\n    dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    source: a.csv\n    id: { colum: x }',
    ),
    finds: ['unknown-field 8:13'],
    says: ["did you mean 'column'?"],
  },
  {
    name: 'a rule over two fields',
    text: file(
      'one:\n  use: points.tag\n  with:\n    map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    points: { uri: x, count: 1 }\n    add: a\n    remove: b',
    ),
    finds: ['invalid-value 8:12'],
    says: ['exactly one of add and remove'],
  },
  {
    name: 'a rule over two fields, beside an expression',
    text: file(
      'one:\n  use: points.tag\n  with:\n    map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    points: { uri: x, count: 1 }\n    add: ${{ params.tag }}\n    remove: b',
      'params: { tag: { type: string } }\n',
    ),
    finds: ['invalid-value 9:12'],
    says: ['exactly one of add and remove'],
  },
  {
    name: 'a slug where an operation takes an id',
    text: file(
      'one: { use: dataset.ensure, with: { slug: a } }\ntwo:\n  use: api.call\n  with:\n    operation: maps.projects.get\n    input: { project_id: "${{ steps.one.slug }}" }',
    ),
    finds: ['wrong-type 8:33'],
    says: ['steps.one.slug is no id', 'project_id: "${{ steps.one.id }}"'],
  },
  {
    name: 'slug with capitals',
    text: file('one:\n  use: dataset.ensure\n  with: { slug: Movies }'),
    finds: ['invalid-value 5:19'],
    says: ['lower-case'],
  },
  {
    name: 'slug with capitals from a parameter',
    text: file('one:\n  use: dataset.ensure\n  with:\n    slug: ${{ params.s }}', 'params:\n  s: { type: string, default: Movies }\n'),
    finds: ['invalid-value 3:31'],
    says: ['default: movies }'],
  },
  {
    name: 'a secret whose name is no name',
    text: file(
      'one:\n  use: api.call\n  with:\n    operation: maps.keys.create\n    input: { organization_id: 6f9619ff-8b86-d011-b42d-00c04fc964ff, key_name: a }\n    secret: ../nightly',
    ),
    finds: ['invalid-value 8:15'],
    says: ["'secret': letters, digits, dots and dashes"],
  },
  {
    name: 'a field of another name beside one that is missing',
    text: file('one: { use: api.call, with: { op: maps.user.get } }'),
    finds: ['unknown-field 3:33'],
  },
  {
    name: 'a field of another name beside several that are missing',
    text: file('one: { use: index.update, with: { nosuch: 1 } }\ntwo: { use: dataset.append, with: { nosuch: 1 } }'),
    finds: ['unknown-field 3:37', 'missing-field 4:31', 'missing-field 4:31', 'missing-field 4:31', 'unknown-field 4:39'],
  },
  {
    name: 'a tag and a map of blanks alone',
    text: file(
      'one:\n  use: points.tag\n  with:\n    map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    points: { uri: x, count: 1 }\n    add: "  "\ntwo: { use: index.build, with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff, embed: text, name: " " } }',
    ),
    finds: ['invalid-value 8:12', 'invalid-value 9:102'],
    says: ['must not be empty or of blanks alone'],
  },
  {
    name: 'another word for add',
    text: file(
      'one:\n  use: points.tag\n  with:\n    map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    points: { uri: x, count: 1 }\n    tag: a',
    ),
    finds: ['unknown-field 8:7'],
    says: ['add: a'],
  },
  {
    name: 'a gate that is misspelt where it is waited for',
    text: file('ok: { use: gate.approve }\none: { use: acme.wipe, needs: [okk] }'),
    finds: ['no-such-step 4:34'],
    says: ['needs: [ok]'],
  },
  {
    name: 'two mistakes in one line',
    text: file('one: { use: acme.sample, with: { flag: yes, cuont: 1, list: a } }'),
    finds: ['wrong-type 3:42', 'unknown-field 3:47', 'wrong-type 3:63'],
    says: ['{ flag: true, count: 1, list: [a] }'],
  },
  {
    name: 'text around an expression where an id is due',
    text: file(
      'one: { use: dataset.ensure, with: { slug: a } }\ntwo:\n  use: index.update\n  with:\n    dataset: id ${{ steps.one.id }}\nthree:\n  use: index.update\n  with:\n    dataset: $${{ steps.one.id }}',
    ),
    finds: ['invalid-value 7:16', 'invalid-value 11:16'],
    says: ['dataset: ${{ steps.one.id }}'],
  },
  {
    name: 'a step that waits for itself',
    text: file('one: { use: acme.sample, needs: [one] }'),
    finds: ['cycle 3:36'],
    says: ["'one' waits for itself"],
  },
  {
    name: 'a step whose near name gives something else',
    text: file(
      'dataset: { use: dataset.ensure, with: { slug: a } }\nmap: { use: index.build, with: { dataset: "${{ steps.dataset.id }}", embed: text } }\ntwo:\n  use: points.select\n  with:\n    map: ${{ steps.datset.id }}\n    where: { search: text, for: a }',
    ),
    finds: ['no-such-step 8:16'],
    says: ["there is no step 'datset'; there is map", 'map: ${{ steps.map.id }}'],
  },
  {
    name: 'a dataset where a map is due',
    text: file(
      'one: { use: dataset.ensure, with: { slug: a } }\ntwo:\n  use: points.select\n  with:\n    dataset: ${{ steps.one.id }}\n    where: { search: text, for: a }',
    ),
    finds: ['unknown-field 7:7'],
    says: ["did you mean 'map'?"],
  },
  {
    name: 'another word for when',
    text: file('one: { use: acme.sample, if: "${{ run.id != params.a }}" }', 'params: { a: { type: string } }\n'),
    finds: ['unknown-field 4:28'],
    says: ["'if' is not a field of a step; did you mean 'when'?", 'when: "${{ run.id != params.a }}"'],
  },
  {
    name: 'other words for the ends of a range',
    text: file(
      'two:\n  use: points.select\n  with:\n    map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    where: { all: [{ range: a, min: 1, max: 2 }, { column: b, in: [c] }] }',
    ),
    finds: ['unknown-field 7:34', 'unknown-field 7:42', 'unknown-field 7:54'],
    says: ['{ range: a, from: 1, to: 2 }, { category: b, in: [c] }'],
  },
  { name: 'window on a call', text: file('one:\n  use: acme.sample\n  window: 4'), finds: ['invalid-value 5:5'], says: ['work in chunks'] },
  {
    name: 'tolerate that is no share',
    text: file('one:\n  use: acme.sample\n  tolerate: { rejected: many }'),
    finds: ['invalid-value 5:27'],
    says: ['a share such as 1% or 0.5%'],
  },
  {
    name: 'timeout that is no duration',
    text: file('one:\n  use: acme.sample\n  timeout: 2 hours'),
    finds: ['invalid-value 5:14'],
    says: ['90s, 30m, 24h or 7d'],
  },
  {
    name: 'parameter of unknown type',
    text: file('one: { use: acme.sample }', 'params:\n  a: { type: text }\n'),
    finds: ['invalid-value 3:14'],
    says: ['string'],
  },
  {
    name: 'default of the wrong type',
    text: file('one: { use: acme.sample }', 'params:\n  a: { type: integer, default: x }\n'),
    finds: ['bad-param 3:32'],
    says: ['a whole number'],
  },
  {
    name: 'unknown parameter',
    text: sample('text: ${{ params.dataste }}').replace('steps:', 'params:\n  dataset: { type: string, default: x }\nsteps:'),
    finds: ['no-such-param 8:17'],
    says: ["did you mean 'dataset'?"],
  },
  {
    name: 'reference to no step',
    text: sample('text: a ${{ steps.tow.text }}'),
    finds: ['no-such-step 6:19'],
    says: ["there is no step 'tow'"],
  },
  {
    name: 'reference to no output',
    text: file('one: { use: acme.sample }\ntwo:\n  use: acme.sample\n  with:\n    text: ${{ steps.one.ids }}'),
    finds: ['no-such-output 7:17'],
    says: ["steps.one has no output 'ids'; it has text, count, list, inner"],
  },
  {
    name: 'reference to no inner output',
    text: file('one: { use: acme.sample }', 'outputs:\n  a: ${{ steps.one.inner.dep }}\n'),
    finds: ['no-such-output 3:10'],
    says: ["steps.one.inner has no output 'dep'; it has deep"],
  },
  {
    name: 'reference to no field of the run',
    text: sample('text: ${{ run.number }}'),
    finds: ['no-such-field 6:17'],
    says: ['it has id, pipeline'],
  },
  {
    name: 'field of a text',
    text: file('one: { use: acme.sample }', 'outputs:\n  a: ${{ steps.one.text.first }}\n'),
    finds: ['bad-expression 3:25'],
    says: ['a text has no fields and no places', 'leave out what stands behind it'],
  },
  {
    name: 'no field of the elements of a list',
    text: sample('text: ${{ [run].map(each, each.number).join(",") }}'),
    finds: ['bad-expression 6:38'],
    says: ["there is no field 'number'"],
  },
  {
    name: 'needs no step',
    text: file('one: { use: acme.sample, needs: [tow] }\ntwo: { use: acme.sample }'),
    finds: ['no-such-step 3:36'],
    says: ["did you mean 'two'?"],
  },
  { name: 'refers to itself', text: sample('text: ${{ steps.one.text }}'), finds: ['cycle 6:13'], says: ["step 'one' refers to itself"] },
  {
    name: 'steps in a circle',
    text: file(
      'a:\n  use: acme.sample\n  with:\n    text: ${{ steps.c.text }}\nb:\n  use: acme.sample\n  with:\n    text: ${{ steps.a.text }}\nc:\n  use: acme.sample\n  needs: [b]',
    ),
    finds: ['cycle 6:13'],
    says: ['a → c → b → a'],
  },
  {
    name: 'expression in { }',
    text: file(
      'one:\n  use: dataset.ensure\n  with: { slug: ${{ params.s }}, public: true }',
      'params:\n  s: { type: slug, default: x }\n',
    ),
    finds: ['unquoted-expression 7:19'],
    says: ['with: { slug: "${{ params.s }}", public: true }'],
  },
  {
    name: 'expression in [ ]',
    text: sample('list: [a, ${{ run.id }}]'),
    finds: ['unquoted-expression 6:17'],
    says: ['list: [a, "${{ run.id }}"]'],
  },
  {
    name: 'two expressions in { }',
    text: file('one: { use: acme.sample, with: { text: ${{ run.id }}, count: ${{ 1 + 1 }} } }'),
    finds: ['unquoted-expression 3:42', 'unquoted-expression 3:64'],
    says: ['one: { use: acme.sample, with: { text: "${{ run.id }}", count: "${{ 1 + 1 }}" } }'],
  },
  {
    name: 'text around an expression in { }',
    text: file('one: { use: acme.sample, with: { text: run ${{ run.id }} now } }'),
    finds: ['unquoted-expression 3:46'],
    says: ['with: { text: "run ${{ run.id }} now" }'],
  },
  {
    name: 'expression cut at a colon',
    text: sample('text: ${{ true ? "a" : "b" }}\ncount: 2'),
    finds: ['unquoted-expression 6:13'],
    says: ['text: \'${{ true ? "a" : "b" }}\'', "': '"],
  },
  {
    name: 'expression in a list cut at a colon',
    text: sample('list:\n  - ${{ true ? run.id : run.pipeline }}'),
    finds: ['unquoted-expression 7:11'],
    says: ['- "${{ true ? run.id : run.pipeline }}"'],
  },
  {
    name: 'map literal cut at a colon',
    text: file('one: { use: acme.sample }', 'outputs:\n  a: ${{ {"k": 1} }}\n'),
    finds: ['unquoted-expression 3:6'],
    says: ['a: \'${{ {"k": 1} }}\''],
  },
  {
    name: 'expression cut at a comment',
    text: sample('text: ${{ "a #b" }} # real'),
    finds: ['unquoted-expression 6:13'],
    says: ['text: \'${{ "a #b" }}\' # real', "' #'"],
  },
  {
    name: 'cut expression with a mistake inside',
    text: sample('text: ${{ true ? steps.no.x : "b" }}'),
    finds: ['unquoted-expression 6:13', 'no-such-step 6:24'],
  },
  { name: 'expression that is not closed', text: sample('text: ${{ run.id }'), finds: ['bad-expression 6:13'], says: ['not closed'] },
  { name: 'empty expression', text: sample('text: ${{ }}'), finds: ['bad-expression 6:16'], says: ['empty'] },
  {
    name: 'syntax error in an expression',
    text: sample('text: ${{ run.id + }}'),
    finds: ['bad-expression 6:26'],
    says: ['ends too early'],
  },
  { name: 'syntax error in a block of text', text: sample('text: |\n  first line\n  ${{ run.id + }}'), finds: ['bad-expression 8:22'] },
  {
    name: 'types that do not go together',
    text: sample('text: ${{ 1 + "a" }}'),
    finds: ['bad-expression 6:17'],
    says: ['a whole number + a text', '(int + string)'],
  },
  {
    name: 'unknown name in an expression',
    text: sample('text: ${{ dataset }}'),
    finds: ['bad-expression 6:17'],
    says: ["unknown name 'dataset'"],
  },
  {
    name: 'regular expression',
    text: sample('text: ${{ string(run.id.matches("a+")) }}'),
    finds: ['bad-expression 6:24'],
    says: ['contains, startsWith or endsWith'],
  },
  {
    name: 'nested comprehension',
    text: sample('list: ${{ [1].map(a, [2].map(b, b)) }}'),
    finds: ['bad-expression 6:28'],
    says: ['inside another comprehension'],
  },
  { name: 'steps as a whole', text: sample('count: ${{ size(steps) }}'), finds: ['bad-expression 6:23'], says: ['steps.ID.OUTPUT'] },
  { name: 'step by a computed name', text: sample('text: ${{ steps[run.id].text }}'), finds: ['bad-expression 6:17'] },
  {
    name: 'parameter expression that fails',
    text: sample('count: ${{ int(params.n) }}').replace('steps:', 'params:\n  n: { type: string, default: x }\nsteps:'),
    finds: ['bad-expression 8:14'],
    says: ['cannot convert to int'],
  },
  {
    name: 'concurrency that depends on a step',
    text: file('one: { use: acme.sample }', 'concurrency: ${{ steps.one.text }}\n'),
    finds: ['invalid-value 2:14'],
    says: ['params only'],
  },
  {
    name: 'key that depends on a step',
    text: file('one: { use: acme.sample }', 'concurrency: { key: "${{ steps.one.text }}", when: queue }\n'),
    finds: ['invalid-value 2:21'],
    says: ["'concurrency.key' is a text known before the run"],
  },
  {
    name: 'key held in an unknown way',
    text: file('one: { use: acme.sample }', 'concurrency: { key: a, when: wait }\n'),
    finds: ['invalid-value 2:30'],
    says: ['queue'],
  },
  {
    name: 'not approved',
    text: file('one: { use: acme.wipe }'),
    finds: ['needs-approval 3:15'],
    says: ['cannot be taken back', 'approves: [one]'],
  },
  {
    name: 'approved beside, not before',
    text: file('ok: { use: gate.approve }\none: { use: acme.wipe }'),
    finds: ['needs-approval 4:15'],
    says: ['needs: [ok]'],
  },
  {
    name: 'a gate that nothing waits for',
    text: file('ok:\n  use: gate.approve\n  with: { who: ops }\none: { use: acme.sample }'),
    finds: ['idle-gate 5:11'],
    says: ['one would run without its approval', 'approves: [one]'],
  },
  {
    name: 'a gate beside what may do what cannot be taken back',
    text: file(
      'data: { use: dataset.ensure, with: { slug: a } }\nok: { use: gate.approve, with: { show: "${{ steps.data.rows }}" } }\nrows: { use: dataset.append, with: { dataset: "${{ steps.data.id }}", source: a.csv, id: { column: a }, onChange: replace } }',
      'description: x\n',
    ),
    finds: ['idle-gate 5:34'],
    says: ['nothing waits for ok: rows would', 'approves: [rows]'],
  },
  {
    name: 'irreversible operation without approval',
    text: file(
      'one:\n  use: api.call\n  with:\n    operation: maps.projects.remove\n    input: { project_id: 6f9619ff-8b86-d011-b42d-00c04fc964ff }',
    ),
    finds: ['needs-approval 4:10'],
    says: ['Remove a dataset'],
  },
  {
    name: 'unknown operation',
    text: file('one:\n  use: api.call\n  with: { operation: maps.project.get }'),
    finds: ['unknown-operation 5:24'],
    says: ["did you mean 'maps.projects.get'?"],
  },
  {
    name: 'operation not written out',
    text: file('one:\n  use: api.call\n  with:\n    operation: ${{ run.id }}'),
    finds: ['not-literal 6:18'],
    says: ['written out'],
  },
  {
    name: 'misspelt input of an operation',
    text: file(
      'one:\n  use: api.call\n  with:\n    operation: maps.projects.create\n    input: { organisation_id: 6f9619ff-8b86-d011-b42d-00c04fc964ff, project_name: x }',
    ),
    finds: ['unknown-field 7:16'],
    says: ["did you mean 'organization_id'?"],
  },
  {
    name: 'duplicate step',
    text: file('one: { use: acme.sample }\none: { use: acme.sample }'),
    finds: ['duplicate-field 4:3'],
    says: ["'one' is here twice"],
  },
  { name: '__proto__', text: file('one: { use: acme.sample }', '__proto__: { name: x }\n'), finds: ['not-plain 2:1'] },
  { name: 'constructor', text: sample('constructor: 1'), finds: ['not-plain 6:7'] },
  { name: 'integer beyond 2^53', text: sample('count: 9007199254740993'), finds: ['number-too-large 6:14'], says: ['±2^53'] },
  { name: 'not a number', text: sample('count: .nan'), finds: ['not-plain 6:14'] },
  { name: 'tag', text: sample('text: !!js/function "x"'), finds: ['syntax 6:13'] },
  { name: 'alias to nothing', text: sample('text: *none'), finds: ['not-plain 6:13'], says: ['no anchor &none'] },
  {
    name: 'alias to itself',
    text: file('one: &a { use: acme.sample, with: *a }'),
    finds: ['not-plain 3:37'],
    says: ['*a is inside of what it stands for'],
  },
  {
    name: 'two documents',
    text: `${file('one: { use: acme.sample }')}\n---\nname: other\n`,
    finds: ['syntax 4:1'],
    says: ['one document'],
  },
  { name: 'tab', text: 'name: bad\nsteps:\n\tone: { use: acme.sample }\n', finds: ['syntax 3:1'], says: ['tabs'] },
  { name: 'bracket that is not closed', text: file('one: { use: acme.sample'), finds: ['syntax 3:26'] },
  { name: 'too deep', text: `name: ${'['.repeat(100)}`, finds: ['too-large 1:74'], says: ['64 levels'] },
  {
    name: 'an expression without its dollar sign',
    text: sample('text: {{ run.id }}'),
    finds: ['no-expression 6:13'],
    says: ['      text: ${{ run.id }}'],
  },
  {
    name: 'an expression in one brace',
    text: sample('text: "n=${params.n}"').replace('steps:', 'params:\n  n: { type: integer, default: 1 }\nsteps:'),
    finds: ['no-expression 8:16'],
    says: ['text: "n=${{ params.n }}"'],
  },
  {
    name: 'a reference without braces',
    text: file('one: { use: acme.sample }\ntwo:\n  use: acme.sample\n  with:\n    text: steps.one.text'),
    finds: ['no-braces 7:13'],
    says: ['text: ${{ steps.one.text }}'],
  },
  {
    name: 'a brace too many',
    text: sample('text: ${{ run.id }}}'),
    finds: ['bad-expression 6:26'],
    says: ['text: ${{ run.id }}'],
  },
  {
    name: 'an output of another type',
    text: file('one: { use: acme.sample }\ntwo:\n  use: acme.sample\n  with:\n    count: ${{ steps.one.text }}'),
    finds: ['wrong-type 7:18'],
    says: ['steps.one.text is a text, expected a whole number', 'count: ${{ steps.one.count }}'],
  },
  {
    name: 'the id of something else',
    text: file(
      'data:\n  use: dataset.ensure\n  with: { slug: a }\nmap:\n  use: index.build\n  with: { dataset: "${{ steps.data.id }}" }\nrich:\n  use: points.select\n  with:\n    map: ${{ steps.data.id }}',
    ),
    finds: ['wrong-type 12:16'],
    says: ['steps.data.id is the id of a dataset, expected the id of a map', 'map: ${{ steps.map.id }}'],
  },
  {
    name: 'a text and a number in outputs',
    text: file('one: { use: acme.sample }', 'outputs:\n  a: ${{ steps.one.count + "x" }}\n'),
    finds: ['bad-expression 3:10'],
    says: ['(int + string)'],
  },
  {
    name: 'a value that may be nothing',
    text: file('one: { use: acme.sample }', 'outputs:\n  a: ${{ steps.one.?text }}\n'),
    finds: ['wrong-type 3:10'],
    says: ['.orValue('],
  },
  {
    name: 'operators of another language',
    text: sample('flag: ${{ run.id == "a" and not (run.id = "b") }}'),
    finds: ['bad-expression 6:31'],
    says: ['flag: ${{ run.id == "a" && !(run.id == "b") }}'],
  },
  {
    name: 'a status that no item has',
    text: file(
      'one:\n  use: dataset.append\n  with:\n    dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    source: a.csv\n    id: { row: true }\n  tolerate: { rejcted: 1% }',
    ),
    finds: ['unknown-status 9:17'],
    says: ['tolerate: { rejected: 1% }'],
  },
  {
    name: 'a parameter that nothing uses',
    text: file('one: { use: acme.sample }', 'params:\n  a: { type: integer, default: 1 }\n'),
    finds: ['unused-param 3:3'],
  },
  {
    name: 'a column that the dataset does not have',
    text: file(
      'data:\n  use: dataset.ensure\n  with: { slug: a }\nrows:\n  use: dataset.append\n  with: { dataset: "${{ steps.data.id }}", source: a.csv, id: { column: k }, columns: { title: t } }\nmap:\n  use: index.build\n  with: { dataset: "${{ steps.rows.dataset }}", embed: titel }',
    ),
    finds: ['no-such-column 11:58'],
    says: ['it has title, id', 'embed: title'],
  },
  {
    name: 'a search on a map without vectors',
    text: file(
      'map:\n  use: index.build\n  with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff }\nfound:\n  use: points.search\n  with: { map: "${{ steps.map.id }}", query: a, fields: [b] }',
    ),
    finds: ['no-vectors 8:18'],
  },
  {
    name: 'a range from above to below',
    text: file(
      'one:\n  use: points.select\n  with:\n    map: 6f9619ff-8b86-d011-b42d-00c04fc964ff\n    where: { all: [{ range: a, from: 5, to: 4 }, { range: b }] }',
    ),
    finds: ['invalid-value 7:40', 'invalid-value 7:52'],
    says: ["'from' is above 'to'", 'a range needs an end'],
  },
  {
    name: 'an address where a file is due',
    text: file(
      'one:\n  use: dataset.append\n  with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff, source: "gs://a/b.csv", id: { row: true } }',
    ),
    finds: ['bad-source 5:68'],
    says: ['a file is not fetched from gs://'],
  },
  {
    name: 'an expression where none is read',
    text: file('one: { use: acme.sample, timeout: "${{ run.id }}" }'),
    finds: ['invalid-value 3:37'],
    says: ['holds no expression'],
  },
  {
    name: 'a step beside steps',
    text: 'name: bad\nsteps:\n  one: { use: acme.sample }\ntwo:\n  use: acme.sample\n  with: { text: "${{ steps.one.text }}" }\n',
    finds: ['misplaced 4:1'],
  },
  {
    name: 'with beside a step',
    text: 'name: bad\nsteps:\n  one:\n    use: dataset.ensure\n  with:\n    slug: a\n',
    finds: ['misplaced 5:3'],
    says: ['below one'],
  },
  {
    name: 'a merge key',
    text: file('one: &a { use: acme.sample }\ntwo:\n  <<: *a\n  with: { count: 1 }'),
    finds: ['merge-key 5:5'],
  },
  ...(
    [
      ['no blank behind a colon', 'use:acme.sample\n  with: { count: 1 }', 'use: acme.sample'],
      ['an equals sign', 'use = acme.sample\n  with: { count: 1 }', 'use: acme.sample'],
      ['no colon', 'use acme.sample\n  with: { count: 1 }', 'use: acme.sample'],
      ['a quote that is not closed', 'use: "acme.sample', 'use: "acme.sample"'],
      ['a text with a colon', 'use: acme.sample\n  with:\n    text: Note: this', 'text: "Note: this"'],
      ['one blank too many', 'use: acme.sample\n   with: { count: 1 }', '    with: { count: 1 }'],
      ['a comma that is missing', 'use: acme.sample\n  with: { count: 1 text: a }', 'with: { count: 1, text: a }'],
      ['one blank too few', 'use: acme.sample\n with: { count: 1 }', '    with: { count: 1 }'],
      ['a field that begins like an item', '- use: acme.sample\n  with: { count: 1 }', '    use: acme.sample'],
      ['a colon of another script', 'use: acme.sample\n  with:\n    text： a\n    count: 1', 'text: a'],
      ['an end of the document', 'use: acme.sample\n...', ''],
      ['fields behind a colon', 'use: acme.sample\n  with: count: 1', 'with: { count: 1 }'],
    ] as const
  ).map(([name, text, corrected]): BadFile => ({
    name,
    text: file(`one:\n  ${text}\ntwo: { use: acme.sample, needs: [one] }`),
    finds: [],
    only: 'syntax',
    says: [corrected],
  })),
  {
    name: 'a model of texts for images, and one of images for texts',
    text: file(
      'one: { use: index.build, with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff, embed: _blob_hash } }\ntwo: { use: index.build, with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff, embed: text, model: "${{ params.model }}" } }\nother: { use: index.build, with: { dataset: 6f9619ff-8b86-d011-b42d-00c04fc964ff, embed: _blob_hash, model: clip-vit } }',
      'params:\n  model: { type: string, default: svc-embed-vision-v1 }\n',
    ),
    finds: ['invalid-value 5:34', 'invalid-value 6:90'],
    says: ['model: svc-embed-vision-v1.5', 'embed: _blob_hash'],
  },
  {
    name: 'a window that ends before it begins, also by the default of a parameter and across zones',
    text: file(
      'one:\n  forEach: { window: { from: 2026-02-02, to: "${{ params.end }}", every: 1d } }\n  steps: { a: { use: acme.sample } }\ntwo:\n  forEach: { window: { from: "2026-02-02T00:00:00+01:00", to: "2026-02-01T22:59:59Z", every: 1d } }\n  steps: { b: { use: acme.sample } }\nsame:\n  forEach: { window: { from: "2026-02-02T00:00:00+01:00", to: "2026-02-01T23:00:00Z", every: 1d } }\n  steps: { c: { use: acme.sample } }',
      'params:\n  end: { type: string, default: "2026-02-01" }\n',
    ),
    finds: ['invalid-value 3:33', 'invalid-value 9:65'],
    says: ['the window ends before it begins', 'swap from and to'],
  },
  {
    name: 'a window of a day that the month does not have, and one of more parts than a loop goes over',
    text: file(
      'one:\n  forEach: { window: { from: 2026-02-31, to: "${{ steps.start.text }}", every: 1d } }\n  steps: { a: { use: acme.sample } }\ntwo:\n  forEach: { window: { from: 2020-01-01, to: 2026-01-01, every: 1s } }\n  steps: { b: { use: acme.sample } }\nstart: { use: acme.sample }',
    ),
    finds: ['invalid-value 4:32', 'invalid-value 7:67'],
    says: ["'2026-02-31' is no time", 'a time such as 2026-01-31', 'more than 100,000 parts'],
  },
  {
    name: 'an id that no other step gives',
    text: file(
      'rows: { use: dataset.append, with: { source: a.csv, id: { column: id } } }\nfound: { use: points.search, with: { map: films, query: storms } }',
    ),
    finds: ['missing-field 3:32', 'invalid-value 4:45'],
    says: [
      'add a line such as dataset: ${{ steps.dataset.id }}; no step of the file gives a dataset: put above  dataset: { use: dataset.ensure, with: { slug: movies } }',
      'no step of the file gives a map: put above  map: { use: index.build',
    ],
  },
  {
    name: 'an id that a step above gives',
    text: file(
      'movies: { use: dataset.ensure, with: { slug: movies } }\nrows: { use: dataset.append, with: { dataset: movies, source: a.csv, id: { column: id } } }',
    ),
    finds: ['invalid-value 4:49'],
    says: ['dataset: "${{ steps.movies.id }}"'],
  },
  {
    name: 'expressions with commas inside { }',
    text: file(
      "rows:\n  use: dataset.append\n  with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: a.csv, id: { column: a }, columns: { price: round(price, 2), of: concat(a, ', ', b) } }",
    ),
    finds: ['unquoted-expression 5:112', 'unquoted-expression 5:133'],
    says: ['inside { } a comma ends a value', `columns: { price: "round(price, 2)", of: "concat(a, ', ', b)" } }`],
  },
  {
    name: 'a cron line inside { } without quotes',
    text: file('one: { use: acme.sample }', 'schedule: {cron: */5 0,12 * * *, timezone: UTC}\n'),
    finds: ['syntax 2:18'],
    says: ['a text that begins so needs quotes', 'schedule: {cron: "*/5 0,12 * * *", timezone: UTC}'],
  },
  {
    name: 'steps in a list that is not indented',
    text: 'name: bad\nsteps:\n- one: { use: acme.sample }\n',
    finds: ['wrong-type 3:1'],
    says: ["'steps' is a list", 'write steps: { one: { use: acme.sample } }'],
  },
  {
    name: 'a query without tables',
    text: file(
      "rows:\n  use: dataset.append\n  with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: { sql: 'select 1' }, id: { column: a } }",
    ),
    finds: ['missing-field 5:60'],
    says: ['write tables: { name: data/file.csv }'],
  },
  {
    name: 'a query with a text for its tables',
    text: file(
      "rows:\n  use: dataset.append\n  with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: { sql: 'select 1', tables: fields }, id: { column: a } }",
    ),
    finds: ['wrong-type 5:95'],
    says: ['write tables: { name: data/file.csv }'],
  },
  {
    name: 'a field of the input beside with',
    text: file(
      'rows:\n  use: dataset.append\n  since: { column: day }\n  with: { dataset: 0f8fad5b-d9cb-469f-a165-70867728950e, source: a.csv, id: { column: a } }',
    ),
    finds: ['unknown-field 5:5'],
    says: ["'since' of dataset.append stands under with:, not beside it", 'write it, with its lines, below with:'],
  },
  {
    name: 'further tries without a class of failures',
    text: file('one: { use: acme.sample, onError: { retry: 3 } }'),
    finds: ['unknown-field 3:39'],
    says: ['onError: { transient: { retry: 3, every: 10m } }'],
  },
  {
    name: 'several at once',
    text: file(
      'one: { use: acme.smple }\ntwo:\n  use: acme.sample\n  with:\n    cuont: 1\n    text: ${{ steps.one.nothing }} ${{ steps.three.x }}',
    ),
    finds: ['unknown-step 3:15', 'unknown-field 7:7', 'no-such-step 8:42'],
  },
];
