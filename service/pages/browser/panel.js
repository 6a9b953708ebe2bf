/** An element with properties and children; texts become text nodes, never markup. */
export const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

export const byId = (id) => document.getElementById(id);
export const counted = (value) => value.toLocaleString('en');

/** Buttons that are on or off. `entries`: label, count, color; `turn(at, on)` is called at each change. */
export const fillToggles = (place, entries, turn) => {
  place.replaceChildren(
    ...entries.map(({ label, count, color }, at) => {
      const button = element('button', { type: 'button' }, element('span', {}, label), element('small', {}, counted(count)));
      if (color) {
        const swatch = element('i');
        swatch.style.background = color;
        button.prepend(swatch);
      }
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', () => {
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        turn(at, on);
      });
      return button;
    }),
  );
};

/** The image that a row names, if it names one of its dataset. */
export const picture = (dataset, row) => {
  const hash = row._blob_hash;
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) return [];
  const shown = element('img', { src: `/pages/images/${encodeURIComponent(dataset)}/${hash}`, alt: '' });
  // What is no image, or gone, leaves no broken sign.
  shown.addEventListener('error', () => shown.remove());
  return [shown];
};

/** The fields of a row as a list of terms. */
export const rowList = (row, times) =>
  element(
    'dl',
    {},
    ...Object.entries(row).flatMap(([name, value]) => {
      const isTime = times.includes(name) && typeof value === 'number' && Math.abs(value) <= 8.64e15;
      return [element('dt', {}, name), element('dd', {}, value === null ? '–' : isTime ? new Date(value).toISOString() : String(value))];
    }),
  );

/** Puts the card beside a point, on the side that has room for it. */
export const placeCard = (card, field, left, top) => {
  const beside = left + 14 + card.offsetWidth <= field.clientWidth ? left + 14 : left - 14 - card.offsetWidth;
  card.style.left = `${Math.max(6, beside)}px`;
  card.style.top = `${Math.max(6, Math.min(top - 20, field.clientHeight - card.offsetHeight - 6))}px`;
};
