import { cssColor, palette, pixel } from './colors.js';
import { listen } from './input.js';
import { createLasso, rowsWithin } from './lasso.js';
import { binary, json, send } from './load.js';
import { byId, counted, element, fillToggles, picture, placeCard, rowList } from './panel.js';
import { createRaster } from './raster.js';
import { listenSelection } from './selection.js';
import { showStage } from './stage.js';
import { drawTopics } from './topics.js';
import { createView } from './view.js';

const showMap = (about, points) => {
  const { rows } = about;
  const x = new Float32Array(points, 0, rows);
  const y = new Float32Array(points, rows * 4, rows);
  const view = createView(x, y);
  const [canvas, field, card] = ['canvas', 'field', 'card'].map(byId);
  const context = canvas.getContext('2d', { alpha: false });
  const state = {
    numbers: new Uint8Array(rows),
    results: [],
    hovered: -1,
    kept: -1,
    chosen: new Set(),
    tags: new Map(),
    query: '',
    drawing: false,
    labels: true,
  };
  const lasso = createLasso(view);
  let selected = new Uint32Array(0);
  const marked = new Uint8Array(rows);
  // 1: in full color; 0: faint.
  const shown = new Uint8Array(rows).fill(1);
  let lit = rows;
  let raster;
  let theme;

  const readTheme = () => {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    theme = {
      paper: pixel(read('--paper')),
      dim: pixel(read('--dim')),
      ink: read('--ink'),
      sea: read('--sea'),
      card: read('--card'),
      mark: pixel(read('--sea')),
    };
  };
  // Canvas pixels per CSS pixel. A crowd is drawn coarser, so that it moves smoothly on a dense screen too.
  const density = () => (rows > 50_000 ? Math.min(1, devicePixelRatio) : devicePixelRatio);
  const radius = (count = lit) => {
    const rest = count < 500 ? 5 : count < 5_000 ? 3.2 : count < 50_000 ? 2 : 1.2;
    return rest * Math.min(3, Math.max(1, view.zoom() ** 0.4)) * density();
  };
  const ring = (row, size, color, fill) => {
    const { px, py } = view.toScreen(row);
    context.beginPath();
    context.arc(px, py, size, 0, 7);
    context.lineWidth = 2 * density();
    context.strokeStyle = color;
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    context.stroke();
  };
  // Asked before each frame: a window that moves to another screen changes the pixels without changing its size.
  const fitCanvas = () => {
    const [width, height] = [field.clientWidth, field.clientHeight].map((length) => Math.max(1, Math.round(length * density())));
    if (raster && canvas.width === width && canvas.height === height) return;
    Object.assign(canvas, { width, height });
    raster = createRaster(width, height);
    view.resize(width, height);
  };
  const draw = () => {
    fitCanvas();
    const size = radius();
    raster.clear(theme.paper);
    const common = { x, y, view, shown };
    // More than a point for every fourth pixel are a crowd.
    const put = (points, dots) =>
      rows > 50_000 && raster.inSight(points) > (canvas.width * canvas.height) / 4
        ? raster.shade(points)
        : raster.paint({ ...points, ...dots });
    put({ ...common, only: 0, colorOf: () => theme.dim }, { radius: radius(rows) * 0.8, opacity: 0.7 });
    put({ ...common, only: 1, colorOf: (row) => palette[state.numbers[row]] }, { radius: size, opacity: 0.85 });
    if (selected.length > 0)
      put({ ...common, shown: marked, only: 1, colorOf: () => theme.mark }, { radius: size + density(), opacity: 0.95 });
    context.putImageData(raster.image, 0, 0);
    if (state.labels) drawTopics(context, about.topics, { view, width: canvas.width, height: canvas.height, density: density(), theme });
    lasso.draw(context, theme.sea, 2 * density());
    for (const { row } of state.results.toReversed()) ring(row, size + 2.5 * density(), theme.ink, cssColor(state.numbers[row]));
    for (const row of [state.hovered, state.kept]) {
      if (row < 0) continue;
      ring(row, size + 6 * density(), theme.sea, theme.card);
      ring(row, size + 2.5 * density(), theme.ink, cssColor(state.numbers[row]));
    }
    if (document.activeElement === canvas && canvas.matches(':focus-visible')) {
      const [cx, cy, arm] = [canvas.width / 2, canvas.height / 2, 9 * density()];
      context.strokeStyle = theme.ink;
      context.lineWidth = density();
      context.beginPath();
      context.moveTo(cx - arm, cy);
      context.lineTo(cx + arm, cy);
      context.moveTo(cx, cy - arm);
      context.lineTo(cx, cy + arm);
      context.stroke();
    }
    const row = state.kept >= 0 ? state.kept : state.hovered;
    if (row >= 0 && !card.hidden) {
      const { px, py } = view.toScreen(row);
      placeCard(card, field, px / density(), py / density());
    }
  };
  let asked = false;
  const redraw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };

  const showCount = () => {
    lit = 0;
    for (let row = 0; row < rows; row += 1) lit += shown[row];
    const all = `${counted(rows)} ${rows === 1 ? 'point' : 'points'}`;
    const more = about.datasetRows > rows ? ` · the dataset has ${counted(about.datasetRows)} rows by now` : '';
    byId('count').textContent = (lit === rows ? all : `${counted(lit)} of ${all} highlighted`) + more;
  };
  const light = () => {
    const { chosen, numbers, results } = state;
    const tags = [...state.tags.values()];
    if (chosen.size === 0 && tags.length === 0) {
      // Without other choice the results of a search are what stands out.
      shown.fill(results.length > 0 ? 0 : 1);
      for (const { row } of results) shown[row] = 1;
    } else {
      shown.fill(tags.length === 0 ? 1 : 0);
      for (const tagged of tags) for (const row of tagged) shown[row] = 1;
      if (chosen.size > 0) for (let row = 0; row < rows; row += 1) if (!chosen.has(numbers[row])) shown[row] = 0;
    }
    showCount();
    redraw();
  };

  const known = new Map();
  let wanted = -1;
  const showCard = async () => {
    const row = state.kept >= 0 ? state.kept : state.hovered;
    wanted = row;
    if (row < 0) {
      card.hidden = true;
      return;
    }
    if (!known.has(row)) {
      if (known.size > 500) known.clear();
      known.set(row, json(`/row?row=${row}`));
    }
    const fields = await known.get(row).catch((error) => {
      known.delete(row);
      return { error: error.message };
    });
    if (wanted !== row) return;
    card.replaceChildren(...picture(about.dataset.id, fields), rowList(fields, about.times));
    card.classList.toggle('kept', row === state.kept);
    card.hidden = false;
    redraw();
  };
  const point = (name, row) => {
    if (state[name] === row) return;
    state[name] = row;
    for (const button of byId('results').querySelectorAll('button')) {
      if (Number(button.dataset.row) === state.kept) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
    redraw();
    void showCard();
  };

  const select = (chosen) => {
    marked.fill(0);
    for (const row of chosen) marked[row] = 1;
    selected = chosen;
    showSelected(chosen);
    redraw();
  };
  const showSelected = listenSelection({
    state,
    select,
    async tag(name, operation) {
      const done = await send(`/tag?name=${encodeURIComponent(name)}&operation=${operation}`, selected);
      showTags((await json('')).tags);
      return done;
    },
  });
  const encircled = (line) => select(rowsWithin(line, x, y, shown));
  listen({ canvas, view, state, shown, radius, density, point, redraw, lasso, encircled });
  byId('labels').parentElement.hidden = about.topics.length === 0;
  byId('labels').addEventListener('change', (event) => {
    state.labels = event.target.checked;
    redraw();
  });
  for (const name of ['focus', 'blur']) canvas.addEventListener(name, redraw);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    byId('query').focus();
  });

  const showResults = (results) => {
    state.results = results;
    byId('results').replaceChildren(
      ...results.map(({ row, label, similarity, image, place }) => {
        const button = element('button', { type: 'button' }, element('span', {}, label), element('small', {}, similarity.toFixed(2)));
        if (place) button.append(element('small', { className: 'place' }, place));
        if (image) {
          button.prepend(element('img', { src: image, alt: '', loading: 'lazy' }));
          button.classList.add('pictured');
        }
        button.dataset.row = String(row);
        button.addEventListener('click', () => {
          view.reveal(row);
          point('kept', row);
          redraw();
        });
        return element('li', {}, button);
      }),
    );
    light();
  };
  const search = async () => {
    const query = byId('query').value.trim();
    state.query = query;
    point('kept', -1);
    byId('found').textContent = query === '' ? '' : 'Searching …';
    try {
      const { results } = query === '' ? { results: [] } : await json(`/search?q=${encodeURIComponent(query)}`);
      if (state.query !== query) return;
      byId('found').textContent = query === '' ? '' : `The ${counted(results.length)} nearest, closest first`;
      showResults(results);
    } catch (error) {
      if (state.query === query) byId('found').textContent = error.message;
    }
  };
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    void search();
  });
  // Emptied by its own cross or key.
  byId('query').addEventListener('input', () => byId('query').value === '' && void search());
  if (about.images) byId('search-label').textContent = 'Search by the names of colours';
  if (!about.searchable) {
    byId('search').hidden = true;
    byId('found').textContent = 'No search by text: the vectors of this map were not made from text here.';
  }

  const colorBy = async (at) => {
    const category = about.categories[at];
    state.chosen.clear();
    byId('legend').replaceChildren();
    const numbers = category
      ? new Uint8Array(await binary(`/categories?column=${encodeURIComponent(category.name)}`))
      : new Uint8Array(rows);
    if (byId('column').selectedIndex !== at && category) return;
    state.numbers = numbers;
    const entries = (category?.values ?? []).map(({ value, count }, number) => ({
      label: String(value ?? '–'),
      count,
      color: cssColor(number),
    }));
    fillToggles(byId('legend'), entries, (number, on) => {
      if (on) state.chosen.add(number);
      else state.chosen.delete(number);
      light();
    });
    light();
  };
  byId('column').append(...about.categories.map(({ name }) => element('option', {}, name)), element('option', {}, 'nothing'));
  byId('column').addEventListener('change', () => void colorBy(byId('column').selectedIndex));
  byId('colors-section').hidden = about.categories.length === 0;

  const showTags = (tags) => {
    byId('tags-section').hidden = tags.length === 0;
    byId('tag-names').replaceChildren(...tags.map(({ name }) => element('option', { value: name })));
    state.tags.clear();
    light();
    const wanted = new Set();
    fillToggles(
      byId('tags'),
      tags.map(({ name, count }) => ({ label: name, count })),
      async (number, on) => {
        const { id } = tags[number];
        if (on) wanted.add(id);
        else wanted.delete(id);
        state.tags.delete(id);
        if (on) {
          const tagged = new Uint32Array(await binary(`/tagged?tag=${encodeURIComponent(id)}`));
          if (wanted.has(id)) state.tags.set(id, tagged);
        }
        light();
      },
    );
  };
  showTags(about.tags);

  byId('stage').hidden = true;
  field.hidden = false;
  byId('panel').hidden = false;
  readTheme();
  matchMedia('(prefers-color-scheme:dark)').addEventListener('change', () => {
    readTheme();
    redraw();
  });
  new ResizeObserver(draw).observe(field);
  addEventListener('resize', redraw);
  void colorBy(0);
};

const begin = async () => {
  const about = await json('');
  byId('name').textContent = about.title;
  if (about.name !== null) byId('name').title = about.name;
  document.title = `${about.title} · ${about.dataset.name}`;
  Object.assign(byId('dataset'), { href: about.dataset.href, textContent: about.dataset.name });
  if (about.stage === 'Completed') return showMap(about, await binary('/points'));
  showStage(about);
  if (about.stage !== 'Failed') setTimeout(start, 1_000);
};
const start = () =>
  begin().catch((error) => {
    Object.assign(byId('stage'), { hidden: false, textContent: `The map could not be read: ${error.message}. Trying again …` });
    setTimeout(start, 3_000);
  });
void start();
