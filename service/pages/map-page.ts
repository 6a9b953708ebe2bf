import { readFileSync } from 'node:fs';
import { htmlAnswer } from './html.ts';

const files = ['colors', 'raster', 'view', 'load', 'panel', 'stage', 'lasso', 'topics', 'selection', 'input', 'map'];

/** The parts of the page's script as one module: written as modules for readers and linters, inlined without their imports. */
const script = files
  .map((name) => readFileSync(new URL(`./browser/${name}.js`, import.meta.url), 'utf8'))
  .map((text) => text.replaceAll(/^import [^;]*;\n/gm, '').replaceAll(/^export /gm, ''))
  .join('\n');

const body = `<div class="map">
<header><a href="/" class="home" aria-label="Datasets">≡</a><a id="dataset"></a><h1 id="name">Map</h1><p id="count" role="status"></p></header>
<div id="stage" class="stage" role="status" hidden></div>
<div class="field" id="field" hidden>
<canvas id="canvas" tabindex="0" role="application" aria-roledescription="map of points" aria-label="Map of points" aria-describedby="keys"></canvas>
<p id="keys" class="keys"><kbd>←↑↓→</kbd> move <kbd>+</kbd> <kbd>−</kbd> zoom <kbd>0</kbd> all <kbd>Enter</kbd> keep the row <kbd>Esc</kbd> let go <kbd>/</kbd> search <kbd>⇧</kbd> drag selects</p>
<div class="tools"><button type="button" id="lasso" aria-pressed="false" title="Draw around points (or hold Shift)">Select</button><label><input type="checkbox" id="labels" checked> Topics</label></div>
<section id="card" class="card" aria-label="Row" aria-live="polite" hidden></section>
</div>
<aside id="panel" hidden>
<form id="search" role="search"><label for="query" id="search-label">Search by meaning</label><div class="row"><input id="query" type="search" maxlength="2000" autocomplete="off" spellcheck="false"><button>Search</button></div></form>
<p id="found" class="quiet" role="status"></p><ol id="results"></ol>
<section id="selection-section" hidden><h2 id="selected" role="status"></h2>
<form id="tag-form"><div class="row"><input id="tag-name" aria-label="Tag" placeholder="name of a tag" maxlength="200" autocomplete="off" list="tag-names"><button>Tag</button></div>
<datalist id="tag-names"></datalist><div class="row"><button type="button" id="untag">Untag</button><button type="button" id="deselect">Deselect</button></div></form>
<p id="tag-note" class="quiet" role="status"></p></section>
<section id="tags-section" hidden><h2>Tags</h2><div id="tags" class="toggles"></div></section>
<section id="colors-section"><label for="column">Color by</label><select id="column"></select><div id="legend" class="toggles"></div></section>
</aside>
</div>`;

/** The page of a map. It holds no data: its script loads them and writes them as text. */
export const mapPage = (): Response => htmlAnswer({ title: 'Map', body, script, images: true });
