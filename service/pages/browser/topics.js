/** How much closer than the whole map the labels of a depth appear; deeper ones as soon as there is room. */
const zoomOf = (depth) => (depth <= 1 ? 0 : 1.6 ** (depth - 1));

/**
 * Which labels are shown and where: those of the shallowest depths first, of one depth those of most points, each only where it covers no
 * other. `measure`: the width of a text; sizes in pixels.
 */
export const placeLabels = (topics, { zoom, toScreen, width, height, measure, line }) => {
  const placed = [];
  const ordered = topics.filter(({ depth }) => zoom >= zoomOf(depth)).toSorted((a, b) => a.depth - b.depth || b.points - a.points);
  for (const topic of ordered) {
    const { px, py } = toScreen(topic.x, topic.y);
    const half = measure(topic.label) / 2 + line / 3;
    const box = { left: px - half, right: px + half, top: py - line * 0.7, bottom: py + line * 0.7 };
    if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height) continue;
    const isFree = placed.every(
      ({ box: other }) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom,
    );
    if (isFree) placed.push({ topic, px, py, box });
  }
  return placed;
};

/** Writes the labels of topics over the map. */
export const drawTopics = (context, topics, { view, width, height, density, theme }) => {
  const line = 13 * density;
  context.font = `600 ${line}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  const labels = placeLabels(topics, {
    zoom: view.zoom(),
    toScreen: view.fromMap,
    width,
    height,
    line,
    measure: (text) => context.measureText(text).width,
  });
  for (const { topic, px, py } of labels) {
    context.lineWidth = 4 * density;
    context.strokeStyle = theme.card;
    context.strokeText(topic.label, px, py);
    context.fillStyle = theme.ink;
    context.fillText(topic.label, px, py);
  }
};
