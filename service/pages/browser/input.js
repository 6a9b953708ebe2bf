/** Pointer, wheel, fingers and keys on the canvas: they move the view and `point` at rows. */
export const listen = ({ canvas, view, state, shown, radius, density, point, redraw, lasso, encircled }) => {
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * density(), (event.clientY - box.top) * density()];
  };
  // What is drawn over everything is found before what lies under it.
  const under = (px, py) => {
    const within = Math.max(radius() + 5 * density(), 9 * density());
    return view.nearest(px, py, shown, within);
  };
  const fingers = new Map();
  let dragged = false;
  // A line is drawn around points; a second finger moves the map all the same.
  let drawing = false;
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) dragged = false;
    drawing = fingers.size === 1 && (state.drawing || event.shiftKey);
    if (drawing) {
      lasso.begin();
      lasso.add(...at(event));
    }
  });
  canvas.addEventListener('pointermove', (event) => {
    const [px, py] = at(event);
    const from = fingers.get(event.pointerId);
    if (!from) return point('hovered', under(px, py));
    if (!dragged && Math.hypot(px - from[0], py - from[1]) < 4 * density()) return;
    dragged = true;
    canvas.classList.add('dragging');
    if (drawing && fingers.size === 1) lasso.add(px, py);
    else if (fingers.size === 1) view.move(px - from[0], py - from[1]);
    else {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      view.zoomAt(Math.hypot(px - other[0], py - other[1]) / Math.max(1, Math.hypot(from[0] - other[0], from[1] - other[1])), ...other);
    }
    fingers.set(event.pointerId, [px, py]);
    redraw();
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    canvas.classList.remove('dragging');
    const line = drawing ? lasso.end() : [];
    drawing = false;
    if (dragged && line.length > 0) encircled(event.type === 'pointerup' ? line : []);
    if (!dragged && event.type === 'pointerup') point('kept', under(...at(event)));
  };
  canvas.addEventListener('pointerup', lift);
  canvas.addEventListener('pointercancel', lift);
  canvas.addEventListener('pointerleave', () => point('hovered', -1));
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      view.zoomAt(Math.exp(-Math.max(-80, Math.min(80, event.deltaMode === 1 ? event.deltaY * 20 : event.deltaY)) / 250), ...at(event));
      redraw();
    },
    { passive: false },
  );

  const step = () => 60 * density();
  const keys = {
    ArrowLeft: () => view.move(step(), 0),
    ArrowRight: () => view.move(-step(), 0),
    ArrowUp: () => view.move(0, step()),
    ArrowDown: () => view.move(0, -step()),
    '+': () => view.zoomAt(1.4),
    '=': () => view.zoomAt(1.4),
    '-': () => view.zoomAt(1 / 1.4),
    0: () => view.fit(),
    Enter: () => point('kept', state.hovered),
    Escape: () => point('kept', -1),
  };
  canvas.addEventListener('keydown', (event) => {
    const act = Object.hasOwn(keys, event.key) && !event.ctrlKey && !event.metaKey && !event.altKey ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
    // By keyboard the cross in the middle is what points.
    point('hovered', view.nearest(canvas.width / 2, canvas.height / 2, shown, 40 * density()));
    redraw();
  });
};
