/**
 * The rows within a closed line, of those that `shown` marks with 1. `line`: places of the map as x, y, x, y; by the rule of even and odd
 * crossings.
 */
export const rowsWithin = (line, x, y, shown) => {
  const corners = line.length / 2;
  if (corners < 3) return new Uint32Array(0);
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let at = 0; at < line.length; at += 2) {
    box.left = Math.min(box.left, line[at]);
    box.right = Math.max(box.right, line[at]);
    box.bottom = Math.min(box.bottom, line[at + 1]);
    box.top = Math.max(box.top, line[at + 1]);
  }
  const rows = [];
  for (let row = 0; row < x.length; row += 1) {
    const [px, py] = [x[row], y[row]];
    if (shown[row] !== 1 || px < box.left || px > box.right || py < box.bottom || py > box.top) continue;
    let inside = false;
    for (let at = 0, last = corners - 1; at < corners; last = at, at += 1) {
      const [ax, ay, bx, by] = [line[at * 2], line[at * 2 + 1], line[last * 2], line[last * 2 + 1]];
      if (ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax) inside = !inside;
    }
    if (inside) rows.push(row);
  }
  return Uint32Array.from(rows);
};

/** A line that is being drawn around points: in places of the map, so that it stays where it is when the map moves. */
export const createLasso = (view) => {
  let line = [];
  return {
    begin: () => void (line = []),
    add(px, py) {
      const { x, y } = view.toMap(px, py);
      line.push(x, y);
    },
    end: () => line.splice(0),
    /** Draws the line as it is so far. */
    draw(context, color, width) {
      if (line.length < 4) return;
      context.beginPath();
      for (let at = 0; at < line.length; at += 2) {
        const { px, py } = view.fromMap(line[at], line[at + 1]);
        if (at === 0) context.moveTo(px, py);
        else context.lineTo(px, py);
      }
      context.closePath();
      context.strokeStyle = color;
      context.lineWidth = width;
      context.setLineDash([4 * width, 3 * width]);
      context.stroke();
      context.setLineDash([]);
    },
  };
};
