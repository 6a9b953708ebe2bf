/** Where a map is looked at: `x`, `y` of the center in the map's own units, `scale` in device pixels per unit. */
export const createView = (x, y) => {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let row = 0; row < x.length; row += 1) {
    if (x[row] < box.left) box.left = x[row];
    if (x[row] > box.right) box.right = x[row];
    if (y[row] < box.bottom) box.bottom = y[row];
    if (y[row] > box.top) box.top = y[row];
  }
  const size = { width: 1, height: 1 };
  const whole = () => 0.92 * Math.min(size.width / (box.right - box.left || 1), size.height / (box.top - box.bottom || 1));
  const view = {
    x: 0,
    y: 0,
    scale: 1,
    /** How much closer than the whole map. */
    zoom: () => view.scale / whole(),
    fit() {
      view.x = (box.left + box.right) / 2;
      view.y = (box.bottom + box.top) / 2;
      view.scale = whole();
    },
    resize(width, height) {
      const zoom = size.width === 1 ? null : view.zoom();
      Object.assign(size, { width, height });
      if (zoom === null) view.fit();
      else view.scale = whole() * zoom;
    },
    /** The place of the map under a pixel, and the pixel of a place. */
    toMap: (px, py) => ({ x: (px - size.width / 2) / view.scale + view.x, y: (size.height / 2 - py) / view.scale + view.y }),
    fromMap: (mx, my) => ({ px: (mx - view.x) * view.scale + size.width / 2, py: size.height / 2 - (my - view.y) * view.scale }),
    toScreen: (row) => ({ px: (x[row] - view.x) * view.scale + size.width / 2, py: size.height / 2 - (y[row] - view.y) * view.scale }),
    move(px, py) {
      view.x = Math.min(box.right, Math.max(box.left, view.x - px / view.scale));
      view.y = Math.min(box.top, Math.max(box.bottom, view.y + py / view.scale));
    },
    /** Zooms by a factor so that the place under the pixel stays. */
    zoomAt(factor, px = size.width / 2, py = size.height / 2) {
      const to = Math.min(whole() * 500, Math.max(whole() * 0.5, view.scale * factor));
      const shift = 1 / view.scale - 1 / to;
      view.x += (px - size.width / 2) * shift;
      view.y -= (py - size.height / 2) * shift;
      view.scale = to;
    },
    /** Moves to a row that is not well in sight. */
    reveal(row) {
      const { px, py } = view.toScreen(row);
      const inSight = Math.abs(px / size.width - 0.5) < 0.42 && Math.abs(py / size.height - 0.5) < 0.42;
      if (!inSight) Object.assign(view, { x: x[row], y: y[row] });
    },
    /** The row nearest to a pixel among those that `shown` marks with 1, or -1 beyond `within` pixels. */
    nearest(px, py, shown, within) {
      const atX = (px - size.width / 2) / view.scale + view.x;
      const atY = (size.height / 2 - py) / view.scale + view.y;
      let best = (within / view.scale) ** 2;
      let found = -1;
      for (let row = 0; row < x.length; row += 1) {
        if (shown[row] !== 1) continue;
        const distance = (x[row] - atX) ** 2 + (y[row] - atY) ** 2;
        if (distance < best) {
          best = distance;
          found = row;
        }
      }
      return found;
    },
  };
  return view;
};
